// SPDX-License-Identifier: Apache-2.0
package tracekin;

import java.io.File;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.core.runtime.IStatus;
import org.eclipse.core.runtime.NullProgressMonitor;
import org.eclipse.equinox.app.IApplication;
import org.eclipse.equinox.app.IApplicationContext;
import org.eclipse.tracecompass.analysis.graph.core.base.IGraphWorker;
import org.eclipse.tracecompass.analysis.graph.core.base.TmfEdge;
import org.eclipse.tracecompass.analysis.graph.core.base.TmfGraph;
import org.eclipse.tracecompass.analysis.graph.core.base.TmfVertex;
import org.eclipse.tracecompass.analysis.graph.core.base.TmfVertex.EdgeDirection;
import org.eclipse.tracecompass.analysis.graph.core.criticalpath.CriticalPathModule;
import org.eclipse.tracecompass.analysis.os.linux.core.execution.graph.OsExecutionGraph;
import org.eclipse.tracecompass.analysis.os.linux.core.execution.graph.OsWorker;
import org.eclipse.tracecompass.analysis.timing.core.segmentstore.ISegmentStoreProvider;
import org.eclipse.tracecompass.internal.tmf.analysis.xml.core.module.XmlAnalysisModuleSource;
import org.eclipse.tracecompass.internal.tmf.analysis.xml.core.module.XmlUtils;
import org.eclipse.tracecompass.internal.tmf.analysis.xml.core.output.XmlDataProviderManager;
import org.eclipse.tracecompass.internal.tmf.core.model.filters.FetchParametersUtils;
import org.eclipse.tracecompass.segmentstore.core.ISegment;
import org.eclipse.tracecompass.statesystem.core.ITmfStateSystem;
import org.eclipse.tracecompass.statesystem.core.interval.ITmfStateInterval;
import org.eclipse.tracecompass.tmf.core.analysis.IAnalysisModule;
import org.eclipse.tracecompass.tmf.core.event.ITmfEvent;
import org.eclipse.tracecompass.tmf.core.model.filters.SelectionTimeQueryFilter;
import org.eclipse.tracecompass.tmf.core.model.filters.TimeQueryFilter;
import org.eclipse.tracecompass.tmf.core.model.timegraph.ITimeGraphDataProvider;
import org.eclipse.tracecompass.tmf.core.model.timegraph.TimeGraphEntryModel;
import org.eclipse.tracecompass.tmf.core.project.model.TmfTraceType;
import org.eclipse.tracecompass.tmf.core.project.model.TraceTypeHelper;
import org.eclipse.tracecompass.tmf.core.segment.ISegmentAspect;
import org.eclipse.tracecompass.tmf.core.signal.TmfSignalManager;
import org.eclipse.tracecompass.tmf.core.signal.TmfTraceOpenedSignal;
import org.eclipse.tracecompass.tmf.core.statesystem.ITmfAnalysisModuleWithStateSystems;
import org.eclipse.tracecompass.tmf.core.trace.ITmfTrace;
import org.eclipse.tracecompass.tmf.core.trace.TmfTraceManager;
import org.eclipse.tracecompass.tmf.core.trace.TmfTraceUtils;
import org.eclipse.tracecompass.tmf.core.trace.experiment.TmfExperiment;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Runs Trace Compass' own analyses and prints their results: one JSON array per line. */
public class Headless implements IApplication {
  private PrintStream out;

  @Override
  public Object start(IApplicationContext context) throws Exception {
    List<String> arguments = new ArrayList<>(Arrays.asList(
        (String[]) context.getArguments().get(IApplicationContext.APPLICATION_ARGS)));
    out = new PrintStream(arguments.remove(0));
    String command = arguments.remove(0);
    boolean well = true;
    if (command.equals("validate")) {
      for (String file : arguments) well &= validate(new File(file));
    } else if (command.equals("analyse")) {
      well = analyse(new File(arguments.remove(0)), arguments);
    } else if (command.equals("paths")) {
      well = paths(new HashSet<>(Arrays.asList(arguments.remove(0).split(","))), arguments);
    } else {
      throw new IllegalArgumentException(command);
    }
    out.close();
    return well ? EXIT_OK : 1;
  }

  @Override
  public void stop() {}

  private boolean validate(File file) {
    IStatus status = XmlUtils.xmlValidate(file);
    print(status.isOK() ? "valid" : "invalid", file.getName(), String.valueOf(status.getMessage()));
    return status.isOK();
  }

  // Traces.

  private static ITmfTrace openOne(String path) throws Exception {
    TraceTypeHelper type = TmfTraceType.selectTraceType(path, null).get(0);
    ITmfTrace trace = type.getTrace().getClass().getDeclaredConstructor().newInstance();
    trace.initTrace(null, path, type.getTrace().getEventType(), new File(path).getName(),
        type.getTraceTypeId());
    return trace;
  }

  /** Opens a trace, or an experiment of several. */
  private ITmfTrace open(List<String> paths) throws Exception {
    ITmfTrace[] traces = new ITmfTrace[paths.size()];
    for (int i = 0; i < traces.length; i++) traces[i] = openOne(paths.get(i));
    ITmfTrace trace = traces.length == 1 ? traces[0]
        : new TmfExperiment(ITmfEvent.class, "experiment", traces,
            TmfExperiment.DEFAULT_INDEX_PAGE_SIZE, null);
    TmfSignalManager.dispatchSignal(new TmfTraceOpenedSignal(this, trace, null));
    trace.indexTrace(true);
    return trace;
  }

  // Data-driven analyses.

  private boolean analyse(File xml, List<String> paths) throws Exception {
    XmlUtils.addXmlFile(xml);
    XmlUtils.enableFiles(Set.of(xml.getName()));
    XmlUtils.initOutputElements();
    XmlAnalysisModuleSource.notifyModuleChange();
    ITmfTrace all = open(paths);
    boolean well = true;
    for (ITmfTrace trace : TmfTraceManager.getTraceSetWithExperiment(all)) {
      List<IAnalysisModule> modules = new ArrayList<>();
      for (String id : XmlUtils.getAnalysisIdsFromFile(xml.getName())) {
        IAnalysisModule module = trace.getAnalysisModule(id);
        if (module != null && run(module)) modules.add(module);
        well &= module == null || modules.contains(module);
      }
      if (!modules.isEmpty()) printRows(trace, XmlUtils.getDocumentFromFile(xml));
      for (IAnalysisModule module : modules) printResults(module);
    }
    all.dispose();
    return well;
  }

  private boolean run(IAnalysisModule module) {
    long start = System.nanoTime();
    module.schedule();
    boolean well = module.waitForCompletion();
    print(well ? "done" : "failed", module.getId(), seconds(start));
    return well;
  }

  private void printResults(IAnalysisModule module) throws Exception {
    if (module instanceof ISegmentStoreProvider) {
      printSegments((ISegmentStoreProvider) module);
    } else if (module instanceof ITmfAnalysisModuleWithStateSystems) {
      for (ITmfStateSystem states :
          ((ITmfAnalysisModuleWithStateSystems) module).getStateSystems()) {
        printStates(states);
      }
    }
  }

  private void printSegments(ISegmentStoreProvider provider) {
    ISegmentAspect name = null;
    ISegmentAspect content = null;
    for (ISegmentAspect aspect : provider.getSegmentAspects()) {
      if (aspect.getName().equals("Name")) name = aspect;
      if (aspect.getName().equals("Content")) content = aspect;
    }
    for (ISegment segment : provider.getSegmentStore()) {
      print("segment", name.resolve(segment), segment.getStart(), segment.getLength(),
          content.resolve(segment));
    }
  }

  private void printStates(ITmfStateSystem states) throws Exception {
    long end = states.getCurrentEndTime();
    for (int quark = 0; quark < states.getNbAttributes(); quark++) {
      for (long time = states.getStartTime(); time <= end;) {
        ITmfStateInterval interval = states.querySingleState(time, quark);
        if (interval.getValue() != null) {
          print("state", Arrays.asList(states.getFullAttributePathArray(quark)),
              interval.getStartTime(), interval.getEndTime(), interval.getValue());
        }
        time = interval.getEndTime() + 1;
      }
    }
  }

  /** Prints the rows of the time graph views, and how long a window of 1000 pixels would wait. */
  private void printRows(ITmfTrace trace, Document document) {
    long begin = trace.getStartTime().toNanos();
    long pixel = (trace.getEndTime().toNanos() - begin) / 1000;
    List<Long> times = new ArrayList<>();
    for (int i = 0; i <= 1000; i++) times.add(begin + i * pixel);
    NodeList views = document.getElementsByTagName("timeGraphView");
    for (int i = 0; i < views.getLength(); i++) {
      Element view = (Element) views.item(i);
      long start = System.nanoTime();
      ITimeGraphDataProvider<TimeGraphEntryModel> provider =
          XmlDataProviderManager.getInstance().getTimeGraphProvider(trace, view);
      List<TimeGraphEntryModel> rows = provider.fetchTree(FetchParametersUtils.timeQueryToMap(
          new TimeQueryFilter(times)), new NullProgressMonitor()).getModel().getEntries();
      List<Long> ids = new ArrayList<>();
      for (TimeGraphEntryModel row : rows) ids.add(row.getId());
      provider.fetchRowModel(FetchParametersUtils.selectionTimeQueryToMap(
          new SelectionTimeQueryFilter(times, ids)), new NullProgressMonitor());
      print("view", view.getAttribute("id"), seconds(start));
      for (TimeGraphEntryModel row : rows) {
        print("row", view.getAttribute("id"), row.getId(), row.getParentId(), row.getName(),
            row.getStartTime(), row.getEndTime());
      }
    }
  }

  // Critical paths.

  private boolean paths(Set<String> threads, List<String> traces) throws Exception {
    ITmfTrace trace = open(traces);
    OsExecutionGraph module = TmfTraceUtils.getAnalysisModuleOfClass(
        trace, OsExecutionGraph.class, OsExecutionGraph.ANALYSIS_ID);
    if (module == null) {
      print("failed", "this is no kernel trace");
      return false;
    }
    module.schedule();
    boolean well = module.waitForCompletion();
    for (IGraphWorker worker : module.getGraph().getWorkers()) {
      if (threads.contains(tid(worker))) well &= printPath(trace, module, worker);
    }
    trace.dispose();
    return well;
  }

  private static String tid(IGraphWorker worker) {
    return String.valueOf(((OsWorker) worker).getHostThread().getTid());
  }

  private boolean printPath(ITmfTrace trace, OsExecutionGraph module, IGraphWorker worker)
      throws Exception {
    CriticalPathModule path = new CriticalPathModule(module);
    path.setTrace(trace);
    path.setParameter(CriticalPathModule.PARAM_WORKER, worker);
    path.schedule();
    if (!path.waitForCompletion()) return false;
    TmfGraph graph = path.getCriticalPath();
    TmfVertex vertex = graph.getHead();
    // This is the first vertex of some thread, but the path may begin on another.
    for (TmfVertex earlier = vertex; earlier != null; earlier = before(earlier)) vertex = earlier;
    while (vertex != null) {
      TmfEdge edge = vertex.getEdge(EdgeDirection.OUTGOING_HORIZONTAL_EDGE);
      // A hand-over takes time if a packet is in transit.
      if (edge == null) edge = vertex.getEdge(EdgeDirection.OUTGOING_VERTICAL_EDGE);
      if (edge == null) break;
      long begin = vertex.getTs();
      vertex = edge.getVertexTo();
      if (vertex.getTs() == begin) continue;
      IGraphWorker on = graph.getParentOf(vertex);
      print("path", tid(worker), tid(on), ((OsWorker) on).getName(), begin, vertex.getTs(),
          edge.getType().name());
    }
    path.dispose();
    return true;
  }

  private static TmfVertex before(TmfVertex vertex) {
    TmfEdge edge = vertex.getEdge(EdgeDirection.INCOMING_VERTICAL_EDGE);
    if (edge == null) edge = vertex.getEdge(EdgeDirection.INCOMING_HORIZONTAL_EDGE);
    return edge == null ? null : edge.getVertexFrom();
  }

  // Output.

  private static String seconds(long start) {
    return String.format("%.2f", (System.nanoTime() - start) / 1e9);
  }

  private void print(Object... values) {
    out.println(json(Arrays.asList(values)));
  }

  private static String json(Object value) {
    if (value instanceof Collection) {
      List<String> parts = new ArrayList<>();
      for (Object part : (Collection<?>) value) parts.add(json(part));
      return "[" + String.join(",", parts) + "]";
    }
    if (value instanceof Number) return value.toString();
    StringBuilder text = new StringBuilder("\"");
    for (char c : String.valueOf(value).toCharArray()) {
      text.append(c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : c);
    }
    return text.append('"').toString();
  }
}
