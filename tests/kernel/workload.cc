// SPDX-License-Identifier: Apache-2.0
// Requests that wait in each way that a kernel trace can explain, with one operation for each.
//
// usage: workload FOLDER DISK ROUNDS
//
// Spans are appended to FOLDER/spans.json; DISK is a folder on the disk to wait for. Prints "ready"
// when its tracer and its permanent threads have started, and begins after a line on its standard
// input. A recording that starts in between must find out about those threads by itself.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <tracekin/scope.h>
#include <tracekin/tracer.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <queue>
#include <sstream>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using opentracing::SpanContext;

std::shared_ptr<tracekin::Tracer> tracer;

void Check(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::exit(1);
}

const SpanContext* ActiveContext() {
  const opentracing::Span* span = tracekin::ActiveSpan();
  return span != nullptr ? &span->context() : nullptr;
}

// A span that the calling thread works for until the end of the block. Its parent is the thread's
// active span, unless `parent` names another one, for example a span of another thread.
class Work {
 public:
  explicit Work(const char* name, const SpanContext* parent = ActiveContext())
      : span_(tracer->StartSpan(name, {opentracing::ChildOf(parent)})), scope_(*span_) {}

  const SpanContext& context() const { return span_->context(); }

 private:
  const std::unique_ptr<opentracing::Span> span_;  // finishes when it is destroyed
  const tracekin::Scope scope_;
};

// Works until it has used this much processor time, however busy the machine is.
void Compute(std::chrono::nanoseconds duration) {
  const auto used = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto end = used() + duration;
  while (used() < end) {
  }
}

void Sleep() {
  const Work work("sleep");
  std::this_thread::sleep_for(20ms);
}

// Another span's thread holds the mutex and computes before it unlocks it.
void WaitForLock() {
  const Work work("lock");
  std::mutex mutex;
  std::promise<void> locked;
  std::thread holder([&, parent = &work.context()] {
    const Work holding("hold lock", parent);
    const std::lock_guard<std::mutex> lock(mutex);
    locked.set_value();
    Compute(20ms);
  });
  locked.get_future().wait();
  mutex.lock();
  mutex.unlock();
  holder.join();
}

void WriteToDisk(const std::string& folder) {
  const Work work("disk");
  const int file = open((folder + "/journal").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  Check(file >= 0 && write(file, "an entry\n", 9) == 9 && fsync(file) == 0, "journal");
  close(file);
}

// A thread that answers on a loopback connection. A request is the context of the caller's span; an
// answer is one byte.
class Server {
 public:
  Server() : thread_(&Server::Serve, this) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const auto pointer = reinterpret_cast<sockaddr*>(&address);
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    Check(bind(listener, pointer, size) == 0 && listen(listener, 1) == 0 &&
              getsockname(listener, pointer, &size) == 0,
          "listen");
    client_ = socket(AF_INET, SOCK_STREAM, 0);
    Check(connect(client_, pointer, size) == 0, "connect");
    accepted_.set_value(accept(listener, nullptr, nullptr));
    close(listener);
  }
  ~Server() {
    close(client_);
    thread_.join();
  }

  void Call() {
    const Work work("call");
    std::ostringstream request;
    tracer->Inject(work.context(), request);
    const std::string bytes = request.str();
    char answer;
    Check(send(client_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()) &&
              recv(client_, &answer, 1, 0) == 1,
          "call");
  }

 private:
  void Serve() {
    const int connection = accepted_.get_future().get();
    char bytes[1024];
    for (ssize_t size; (size = recv(connection, bytes, sizeof bytes, 0)) > 0;) {
      std::istringstream request(std::string(bytes, size));
      const auto caller = tracer->Extract(request);
      const Work work("serve", caller ? caller->get() : nullptr);
      Compute(10ms);
      Check(send(connection, "\n", 1, 0) == 1, "answer");
    }
    close(connection);
  }

  std::promise<int> accepted_;
  int client_;
  std::thread thread_;
};

// Uses one processor together with another thread.
void BePreempted() {
  const Work work("preempted");
  cpu_set_t all, first;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  Check(sched_setaffinity(0, sizeof first, &first) == 0, "sched_setaffinity");
  std::thread hog([] { Compute(40ms); });  // it inherits the processor affinity
  Compute(40ms);
  hog.join();
  sched_setaffinity(0, sizeof all, &all);
}

class Pool {
 public:
  Pool() {
    for (std::thread& thread : threads_) thread = std::thread(&Pool::Run, this);
  }
  ~Pool() {
    for (std::thread& thread : threads_) (void)thread, Add({});
    for (std::thread& thread : threads_) thread.join();
  }

  void Add(std::function<void()> task) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push(std::move(task));
    }
    added_.notify_one();
  }

 private:
  // An empty task ends a thread.
  void Run() {
    for (std::function<void()> task; (task = Next());) task();
  }

  std::function<void()> Next() {
    std::unique_lock<std::mutex> lock(mutex_);
    added_.wait(lock, [&] { return !tasks_.empty(); });
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop();
    return task;
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::queue<std::function<void()>> tasks_;
  std::thread threads_[2];
};

// Two threads of the pool work for the span, each in its own span; then this thread continues.
void HandToPool(Pool* pool) {
  const Work work("pool");
  std::promise<void> done[2];
  for (std::promise<void>& promise : done) {
    pool->Add([&promise, parent = &work.context()] {
      {
        const Work task("task", parent);
        Compute(10ms);
      }
      promise.set_value();
    });
  }
  for (std::promise<void>& promise : done) promise.get_future().wait();
}

void Fork() {
  const Work work("fork");
  const pid_t child = fork();
  if (child == 0) {
    {
      const Work childs("child");
      Compute(10ms);
    }
    tracer->Close();
    _exit(0);
  }
  int status = 0;
  Check(waitpid(child, &status, 0) == child && status == 0, "child");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: workload FOLDER DISK ROUNDS" << std::endl;
    return 2;
  }
  tracekin::Options options;
  options.service_name = "workload";
  options.exporter.type = "file";
  options.exporter.path = std::string(argv[1]) + "/spans.json";
  options.ust.enabled = true;
  std::string error;
  tracer = tracekin::MakeTracer(options, &error);
  if (tracer == nullptr) {
    std::cerr << "workload: " << error << std::endl;
    return 1;
  }
  Server server;
  Pool pool;
  std::cout << "ready" << std::endl;
  std::cin.get();
  for (int round = std::atoi(argv[3]); round > 0; --round) {
    const Work work("round");
    Sleep();
    WaitForLock();
    WriteToDisk(argv[2]);
    server.Call();
    BePreempted();
    HandToPool(&pool);
    Fork();
  }
  tracer->Close();
}
