#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `tracekin record` with a real session daemon.

usage: scripts/with-lttng tests/tools/record_test.py PATH-OF-tracekin PATH-OF-ust_spans
PATH-OF-ust_emit PATH-OF-libtracekin.so PATH-OF-blkin_ceph_c
"""

import grp
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import bt2
except ImportError:
    print("SKIPPED: the Python module bt2 is not installed (python3-bt2)")
    sys.exit(77)

LIMIT_S = 60


def lttng(*arguments):
    return subprocess.run(["lttng", *arguments], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def events_below(folder):
    traces = [str(path.parent) for path in pathlib.Path(folder).rglob("metadata")]
    if not traces:
        return []
    return [message.event for message in bt2.TraceCollectionMessageIterator(traces)
            if type(message) is bt2._EventMessageConst]


class Record(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tracekin-record-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.output = self.folder + "/trace"
        # Makes 15 spans: five in each of two tracers and in the child of a fork.
        self.spans = [SPANS, self.folder]

    def tearDown(self):
        self.assertIn("no available", lttng("list"))  # no session is left

    def record(self, *arguments, status=0):
        done = subprocess.run([TRACEKIN, "record", "-o", self.output, *arguments], text=True,
                              timeout=LIMIT_S, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def names(self):
        """Returns how often each event is in the trace. exporter_stats depends on the time."""
        names = {}
        for event in events_below(self.output):
            names[event.name] = names.get(event.name, 0) + 1
        self.assertGreaterEqual(names.pop("tracekin:exporter_stats"), 1)
        return names

    EXPECTED = {"tracekin:span_start": 15, "tracekin:span_finish": 15, "tracekin:span_log": 6,
                "tracekin:scope_enter": 3, "tracekin:scope_exit": 3}

    def test_a_command_is_recorded_and_summed_up(self):
        said = self.record("--", *self.spans)
        self.assertEqual(self.names(), self.EXPECTED)
        for name, count in self.EXPECTED.items():
            self.assertRegex(said, rf"(?m)^ +{count}  {name}$")
        processes = {(int(event["vpid"]), str(event["procname"]))
                     for event in events_below(self.output)
                     if event.name != "tracekin:exporter_stats"}  # its thread has its own name
        self.assertEqual(len(processes), 2)
        for process in processes:
            self.assertIn("process %d  %s\n" % process, said)
        self.assertNotIn("discarded", said)
        self.assertIn("15 spans in ", said)
        self.assertTrue(said.endswith(f"the trace is in {self.output}\n"
                                      f"next: tracekin why {self.output}\n"
                                      f"      tracekin top {self.output}\n"), said)

    def test_events_have_the_contexts(self):
        self.record("--", *self.spans)
        for event in events_below(self.output):
            self.assertEqual(event["vtid"], event["tid"])
            self.assertEqual(event["pid_ns"], os.stat("/proc/self/ns/pid").st_ino)

    def test_the_status_is_the_commands(self):
        self.record("--no-summary", "--", "sh", "-c", "exit 7", status=7)

    def test_a_command_that_a_signal_ends(self):
        self.record("--no-summary", "--", "sh", "-c", "kill -KILL $$", status=128 + signal.SIGKILL)

    def test_the_command_is_told_to_emit_events(self):
        said = subprocess.run([TRACEKIN, "record", "-o", self.output, "--", "sh", "-c",
                               "echo $TRACEKIN_UST_ENABLED"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=LIMIT_S)
        self.assertEqual(said.stdout, "true\n")

    def test_a_command_that_is_not_there(self):
        self.assertIn("cannot run /nonexistent: No such file",
                      self.record("--", "/nonexistent", status=127))

    def test_a_folder_that_is_not_empty(self):
        os.mkdir(self.output)
        pathlib.Path(self.output, "file").touch()
        self.assertIn("is not empty", self.record("--", "true", status=2))

    def test_a_folder_that_cannot_be_made(self):
        self.output = "/proc/trace"
        self.assertIn("cannot create the folder", self.record("--", "true", status=2))

    def recorded_spans(self):
        lines = subprocess.run([TRACEKIN, "ls", self.output, "--json"], check=True, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               timeout=LIMIT_S).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def test_events_of_blkin_are_recorded(self):
        said = self.record("--", BLKIN)
        self.assertIn("zipkin:keyval_integer", said)
        self.assertIn("osd op", {span["operation"] for span in self.recorded_spans()})
        for span in self.recorded_spans():
            self.assertGreater(span["tid"], 0)

    def test_events_of_jaeger_are_recorded(self):
        said = self.record("--", EMIT, "fields")
        self.assertIn("jaeger_ust:end_span", said)
        self.assertTrue(self.recorded_spans())

    def test_it_says_what_it_records_and_how_it_ends(self):
        said = self.record("--duration", "100ms", status=1)
        self.assertIn(f"record: recording into {self.output}: spans of all programs\n"
                      "record: ends after 0.1 s, or with Ctrl-C\n", said)

    def without_spans(self, *command, **variables):
        done = subprocess.run([TRACEKIN, "record", "-o", self.output, "--", *command], check=True,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT_S,
                              env=dict(os.environ, **variables))
        shutil.rmtree(self.output)
        return done.stderr

    def waits_for_its_look(self, *statements):
        """A program that runs until its memory has been looked at often enough."""
        return [sys.executable, "-c", "import ctypes, time\n" + "\n".join(statements) +
                "\ntime.sleep(3)"]

    def test_why_there_are_no_spans(self):
        loads = f"ctypes.CDLL({LIBRARY!r})"
        alone = shutil.copy(LIBRARY, self.folder + "/libtracekin.so")
        for program, variables, reason in (
                (self.waits_for_its_look(), {}, r"\d+\) has not loaded tracekin\n"),
                (self.waits_for_its_look(loads), {"TRACEKIN_UST_ENABLED": "false"},
                 r"switched off by TRACEKIN_UST_ENABLED=false\n"),
                (self.waits_for_its_look(loads), {}, "none of its tracers has ust.enabled"),
                (self.waits_for_its_look(f"ctypes.CDLL({alone!r})"), {},
                 "libtracekin_ust.so is missing: install the package libtracekin-ust0|"
                 "none of its tracers"),  # where that package is installed
        ):
            with self.subTest(reason):
                said = self.without_spans(*program, **variables)
                self.assertRegex(said, r"No spans were recorded:\n.*" + reason)
                self.assertIn("tracekin doctor", said)

    def test_a_process_that_does_not_exist_is_refused(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        self.assertIn(f"there is no process {ended.pid}",
                      self.record("--pid", str(ended.pid), "--duration", "1s", status=2))
        self.assertFalse(os.path.exists(self.output))

    def test_a_recording_that_cannot_be_made_leaves_no_folder(self):
        if pathlib.Path("/sys/module/lttng_tracer").exists():
            self.skipTest("this machine has LTTng's modules")
        self.record("--kernel", "--", "true", status=2)
        self.assertFalse(os.path.exists(self.output))

    def test_root_runs_the_command_as_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("another user needs root")
        os.chmod(self.folder, 0o755)
        said = subprocess.run(
            [TRACEKIN, "record", "-o", self.output, "--user", "nobody", "--", "sh", "-c",
             "id -un; id -Gn; echo $HOME"], check=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, timeout=LIMIT_S).stdout
        self.assertEqual(said, "nobody\nnogroup\n/nonexistent\n")

    def test_spans_of_another_user_are_recorded_and_belong_to_the_caller_of_sudo(self):
        if os.geteuid() != 0:
            self.skipTest("another user needs root")
        spans = self.copy_of_spans()
        os.chmod(self.folder, 0o777 | 0o1000)
        done = subprocess.run(
            [TRACEKIN, "record", "-o", self.output, "--user", "--", spans, self.folder],
            stderr=subprocess.PIPE, text=True, timeout=LIMIT_S,
            env=dict(os.environ, SUDO_UID="65534", LD_LIBRARY_PATH=self.folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("15 spans in ", done.stderr)
        self.assertEqual({path.stat().st_uid for path in pathlib.Path(self.output).rglob("*")} |
                         {os.stat(self.output).st_uid}, {65534})

    def copy_of_spans(self):
        """Returns a copy of the program that needs self.folder as LD_LIBRARY_PATH: other users may
        not be allowed to run programs of the build folder."""
        for file in (SPANS, LIBRARY, pathlib.Path(LIBRARY).with_name("libtracekin_ust.so")):
            shutil.copy(file, self.folder)
        needed = subprocess.check_output(["ldd", SPANS], text=True)
        soname = next(word for word in needed.split() if word.startswith("libtracekin.so"))
        os.rename(self.folder + "/" + pathlib.Path(LIBRARY).name, self.folder + "/" + soname)
        return self.folder + "/" + pathlib.Path(SPANS).name

    def test_why_there_are_no_spans_of_a_program_that_knows_another_daemon(self):
        if os.geteuid() != 0:
            self.skipTest("another user needs root")
        spans = self.copy_of_spans()
        done = self.record_as_nobody("--", "env", "LTTNG_HOME=/elsewhere",
                                     "LD_LIBRARY_PATH=" + self.folder, spans, self.folder, "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(") looks for the session daemon below /elsewhere, not below " + self.folder,
                      done.stderr)

    def test_a_user_who_does_not_exist(self):
        self.assertIn("there is no user nosuch",
                      self.record("--user", "nosuch", "--", "true", status=2))
        self.assertFalse(os.path.exists(self.output))

    def test_a_snapshot_is_written_at_the_end(self):
        self.record("--snapshot", "--", *self.spans)
        self.assertEqual(self.names(), self.EXPECTED)

    def test_what_did_not_fit_is_counted(self):
        said = self.record("--buffer-size", "32K", "--", EMIT, "fields")  # one event has 60 kB
        self.assertIn("1 events of tracekin were discarded", said)
        self.assertIn("--buffer-size=", said)

    def end_daemon(self):
        pid_file = "/run/lttng" if os.geteuid() == 0 else os.environ["LTTNG_HOME"] + "/.lttng"
        pid_file = pathlib.Path(pid_file, "lttng-sessiond.pid")
        os.kill(int(pid_file.read_text()), signal.SIGTERM)
        while pid_file.exists():
            time.sleep(0.05)
        return pid_file

    def test_a_daemon_is_started_where_there_is_none(self):
        pid_file = self.end_daemon()
        self.record("--", *self.spans)
        self.assertTrue(pid_file.exists())
        self.assertEqual(self.names(), self.EXPECTED)

    def test_a_daemon_is_started_by_one_whose_parent_ignores_its_children(self):
        pid_file = self.end_daemon()
        recording = self.start("--", *self.spans,
                               prepare=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.addCleanup(recording.kill)
        self.assertEqual(recording.wait(LIMIT_S), 0)
        self.assertTrue(pid_file.exists())
        self.assertEqual(self.names(), self.EXPECTED)

    def test_a_duration(self):
        start = time.monotonic()
        self.record("--duration", "700ms", status=1)
        self.assertGreaterEqual(time.monotonic() - start, 0.7)

    def test_one_process_of_several(self):
        # The shell becomes the program, so its id is known before there is an event.
        waits = subprocess.Popen(["sh", "-c", 'read line; exec "$0" "$1"', *self.spans],
                                 stdin=subprocess.PIPE,
                                 env=dict(os.environ, TRACEKIN_UST_ENABLED="1"))
        recording = subprocess.Popen([TRACEKIN, "record", "-o", self.output, "--pid",
                                      str(waits.pid),
                                      "--duration", "20"], stderr=subprocess.DEVNULL)
        while "active" not in lttng("list"):
            time.sleep(0.05)
        subprocess.run([SPANS, self.folder], check=True, timeout=LIMIT_S)
        waits.communicate(b"\n", timeout=LIMIT_S)
        recording.send_signal(signal.SIGTERM)
        self.assertEqual(recording.wait(LIMIT_S), 0)
        self.assertEqual({event["vpid"] for event in events_below(self.output)}, {waits.pid})

    def interrupt(self, number):
        recording = subprocess.Popen([TRACEKIN, "record", "-o", self.output, "--", "sleep", "1000"],
                                     stderr=subprocess.DEVNULL)
        while "active" not in lttng("list"):
            time.sleep(0.05)
        time.sleep(0.2)  # for the command to run
        recording.send_signal(number)
        return recording.wait(LIMIT_S)

    def test_an_interruption_ends_the_command(self):
        self.assertEqual(self.interrupt(signal.SIGINT), 128 + signal.SIGINT)

    def test_a_termination_ends_the_command(self):
        self.assertEqual(self.interrupt(signal.SIGTERM), 128 + signal.SIGTERM)

    def start(self, *arguments, prepare=None):
        recording = subprocess.Popen([TRACEKIN, "record", "--no-summary", "-o", self.output,
                                      *arguments],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                     preexec_fn=prepare)
        self.addCleanup(recording.stdout.close)
        return recording

    def test_a_parent_that_ignores_its_children_does_not_hide_the_end_of_the_command(self):
        recording = self.start("--", "sh", "-c", "exit 7",
                               prepare=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.addCleanup(recording.kill)
        self.assertEqual(recording.wait(LIMIT_S), 7)

    def test_a_parent_that_blocks_signals_does_not_hide_the_end_of_the_command(self):
        blocked = [signal.SIGCHLD, signal.SIGTERM, signal.SIGINT]
        recording = self.start("--", "sh", "-c", "exit 7",
                               prepare=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, blocked))
        self.addCleanup(recording.kill)
        self.assertEqual(recording.wait(LIMIT_S), 7)

    def test_a_hangup_that_is_ignored_ends_no_recording(self):
        recording = self.start("--", "sleep", "1000",
                               prepare=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.addCleanup(recording.kill)
        while "active" not in lttng("list"):
            time.sleep(0.05)
        for _ in range(3):
            recording.send_signal(signal.SIGHUP)
        recording.send_signal(signal.SIGTERM)
        self.assertEqual(recording.wait(LIMIT_S), 128 + signal.SIGTERM)

    def test_the_command_has_the_signals_of_the_parent(self):
        command = ["sh", "-c", "grep -E '^Sig(Ign|Blk)' /proc/self/status"]

        def signals(status):  # glibc starts programs with two of its own signals ignored
            return [int(line.split()[1], 16) & 0x7fffffff for line in status.splitlines()]

        for prepare in (None, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
                        lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN),
                        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])):
            alone = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                                   preexec_fn=prepare).stdout
            recording = self.start("--", *command, prepare=prepare)
            status = recording.communicate(timeout=LIMIT_S)[0]
            self.assertEqual(signals(status), signals(alone))
            shutil.rmtree(self.output)

    def test_a_process_cannot_command_the_terminal_by_its_name(self):
        named = shutil.copy(SPANS, self.folder + "/\x1b[31mHI\x07")
        said = self.record("--", named, self.folder)
        self.assertIn(r"  \x1b[31mHI\x07" + "\n", said)
        self.assertNotRegex(said, r"[\x00-\x09\x0b-\x1f\x7f]")

    def test_words_of_the_command_line_cannot_command_the_terminal(self):
        for arguments in (["--", "/\x1b[2Jnone"], ["--p\x1b[2J"], ["-d", "\x1b[2J"],
                          ["-o", self.output + "\x1b[2J", "--", "true"]):
            done = subprocess.run([TRACEKIN, "record", "--no-summary", *arguments], cwd=self.folder,
                                  stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(r"\x1b[2J", done.stderr)
            self.assertNotIn("\x1b", done.stderr)

    def test_durations_and_sizes_that_make_no_sense_are_refused(self):
        for option in ("-d", "-b"):
            for value in {"-d": ("1e300", "1e10", "nan", "inf", "0", "-1", "1x", ""),
                          "-b": ("15E", "2T", "99999999999999999999", "-1", "x")}[option]:
                with self.subTest(option=option, value=value):
                    done = subprocess.run([TRACEKIN, "record", "-o", self.output, option, value,
                                           "--", "true"],
                                          stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertRegex(done.stderr, "--duration|--buffer-size")
                    self.assertFalse(os.path.exists(self.output))

    def test_root_writes_into_no_folder_that_another_user_has_made(self):
        if os.geteuid() != 0:
            self.skipTest("another user's folder needs root")
        os.mkdir(self.output)
        os.chown(self.output, 65534, 65534)
        self.assertIn("belongs to another user", self.record("--", "true", status=2))
        self.assertEqual(os.listdir(self.output), [])

    def test_a_dry_run_prints_commands_that_do_the_same(self):
        for options in ([], ["--snapshot"]):
            with self.subTest(options):
                commands = subprocess.run(
                    [TRACEKIN, "record", "-o", self.output, "--dry-run", *options, "--",
                     *self.spans], check=True, stdout=subprocess.PIPE, text=True).stdout
                self.assertFalse(os.path.exists(self.output))
                subprocess.run(["sh", "-ec", commands], check=True, stdout=subprocess.DEVNULL,
                               timeout=LIMIT_S)
                self.assertEqual(self.names(), self.EXPECTED)
                self.assertIn("pid_ns", set(events_below(self.output)[0].common_context_field))
                shutil.rmtree(self.output)

    def test_without_a_kernel_tracer_it_says_what_helps(self):
        if pathlib.Path("/sys/module/lttng_tracer").exists():
            self.skipTest("this machine has LTTng's modules")
        self.assertIn("lttng-modules-dkms", self.record("--kernel", "--", "true", status=2))

    def test_a_full_disk_ends_the_recording_and_says_so(self):
        disk = self.folder + "/disk"
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100m", "none", disk],
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("a file system of 100 MB cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        # Messages are written to a file, because the command continues and keeps inherited pipes
        # open.
        said = pathlib.Path(self.folder, "said")
        with said.open("w") as file:
            recording = subprocess.Popen(
                [TRACEKIN, "record", "-o", disk + "/trace", "--", "sleep", "10"], stderr=file)
        while "active" not in lttng("list"):
            time.sleep(0.05)
        self.assertIsNone(recording.poll())
        pathlib.Path(disk, "another").write_bytes(bytes(60 << 20))
        recording.wait(LIMIT_S)
        self.assertIn("record: the disk is full; the recording was stopped", said.read_text())

    def record_as_nobody(self, *arguments, groups=()):
        """Records as the user nobody, with these additional groups."""
        if os.geteuid() != 0:
            self.skipTest("another user's tracing needs root")
        os.chown(self.folder, 65534, 65534)
        program = shutil.copy(TRACEKIN, self.folder)  # because nobody may not have access to its
                                                      # folder
        environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "LTTNG_HOME": self.folder}
        done = subprocess.run([program, "record", "-o", self.output, *arguments], text=True,
                              timeout=LIMIT_S, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment, cwd="/", user=65534, group=65534,
                              extra_groups=groups)
        daemon = pathlib.Path(self.folder, ".lttng/lttng-sessiond.pid")
        if daemon.exists():
            os.kill(int(daemon.read_text()), signal.SIGTERM)
            while daemon.exists():
                time.sleep(0.05)
        return done

    def test_without_root_it_says_who_may_trace_the_kernel(self):
        done = self.record_as_nobody("--kernel", "--", "true")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("join the group `tracing`", done.stderr)

    def test_a_member_of_the_group_is_served_by_roots_daemon(self):
        if pathlib.Path("/sys/module/lttng_tracer").exists():
            self.skipTest("this machine has LTTng's modules")
        try:
            tracing = grp.getgrnam("tracing").gr_gid
        except KeyError:
            self.skipTest("there is no group tracing")
        done = self.record_as_nobody("--kernel", "--", "true", groups=[tracing])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("lttng-modules-dkms", done.stderr)


if __name__ == "__main__":
    TRACEKIN, SPANS, EMIT, LIBRARY, BLKIN = sys.argv[1:6]
    del sys.argv[1:6]
    unittest.main(verbosity=2)
