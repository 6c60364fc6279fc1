// SPDX-License-Identifier: Apache-2.0
// Waits in many ways, each in a span whose tags specify the result that `tracekin why` must find.
//
// usage: kernel_situations FOLDER DISK
//
// Spans are appended to FOLDER/spans.json; DISK is a folder on a slow disk. The tag `cause` is the
// cause of most of the time that the span waits, and `by` the name of the thread that was waited
// for.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
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
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr auto kLong = 40ms;  // longer than any delay that the machine adds

std::shared_ptr<tracekin::Tracer> tracer;

void Check(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::exit(1);
}

void Name(const char* name) { pthread_setname_np(pthread_self(), name); }

// Starts a thread with that name. It calls `act` after the other threads have had time to begin
// their waits.
std::thread Later(const char* name, std::function<void()> act) {
  return std::thread([=] {
    Name(name);
    std::this_thread::sleep_for(kLong);
    act();
  });
}

void Situation(const char* name, const char* cause, const char* by,
               const std::function<void()>& wait) {
  const auto span = tracer->StartSpan(name);
  span->SetTag("cause", cause);
  if (by != nullptr) span->SetTag("by", by);
  const tracekin::Scope scope(*span);
  wait();
}

// Works until it has used this much processor time.
void Compute(std::chrono::nanoseconds duration) {
  const auto used = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  for (const auto end = used() + duration; used() < end;) {
  }
}

void UseProcessor(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  Check(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

// Starts a thread that acquires the lock, sleeps, and releases it. Returns when the thread has the
// lock.
template <typename Take, typename GiveBack>
std::thread Hold(Take take, GiveBack give_back) {
  int pipe_ends[2];
  Check(pipe(pipe_ends) == 0, "pipe");
  std::thread holder([=] {
    Name("holder");
    take();
    Check(write(pipe_ends[1], "x", 1) == 1, "write");
    std::this_thread::sleep_for(kLong);
    give_back();
  });
  char taken;
  Check(read(pipe_ends[0], &taken, 1) == 1, "read");
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  return holder;
}

void Locks() {
  std::mutex mutex;
  std::thread holder = Hold([&] { mutex.lock(); }, [&] { mutex.unlock(); });
  Situation("mutex", "lock", "holder", [&] { mutex.lock(); });
  holder.join();

  std::shared_mutex shared;
  holder = Hold([&] { shared.lock_shared(); }, [&] { shared.unlock_shared(); });
  Situation("rwlock", "lock", "holder", [&] { shared.lock(); });
  holder.join();

  std::mutex guard;
  std::condition_variable condition;
  bool ready = false;
  std::thread signaller = Later("signaller", [&] {
    const std::lock_guard<std::mutex> lock(guard);
    ready = true;
    condition.notify_one();
  });
  Situation("condition variable", "lock", "signaller", [&] {
    std::unique_lock<std::mutex> lock(guard);
    condition.wait(lock, [&] { return ready; });
  });
  signaller.join();

  Situation("condition variable with a time-out", "timer", nullptr, [&] {
    std::unique_lock<std::mutex> lock(guard);
    condition.wait_for(lock, kLong, [] { return false; });
  });

  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread last = Later("last", [&] { pthread_barrier_wait(&barrier); });
  Situation("barrier", "lock", "last", [&] { pthread_barrier_wait(&barrier); });
  last.join();

  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::thread poster = Later("poster", [&] { sem_post(&semaphore); });
  Situation("semaphore", "lock", "poster", [&] { sem_wait(&semaphore); });
  poster.join();

  std::thread ending = Later("ending", [] {});
  Situation("join", "thread", "ending", [&] { ending.join(); });
}

// Each thread has a lock and waits for the lock of the next thread. The last thread sleeps.
void ChainOfLocks() {
  constexpr int kLocks = 8;
  std::mutex mutexes[kLocks];
  pthread_barrier_t all_have_one;
  pthread_barrier_init(&all_have_one, nullptr, kLocks + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kLocks; ++i) {
    threads.emplace_back([&, i] {
      Name("link");
      const std::lock_guard<std::mutex> own(mutexes[i]);
      pthread_barrier_wait(&all_have_one);
      if (i + 1 < kLocks) {
        const std::lock_guard<std::mutex> next(mutexes[i + 1]);
      } else {
        std::this_thread::sleep_for(4 * kLong);
      }
    });
  }
  pthread_barrier_wait(&all_have_one);
  Situation("chain of locks", "lock", "link", [&] { mutexes[0].lock(); });
  mutexes[0].unlock();
  for (std::thread& thread : threads) thread.join();
}

void Descriptors() {
  int ends[2];
  char byte;
  Check(pipe(ends) == 0, "pipe");
  std::thread writer = Later("writer", [&] { Check(write(ends[1], "x", 1) == 1, "write"); });
  Situation("pipe", "thread", "writer", [&] { Check(read(ends[0], &byte, 1) == 1, "read"); });
  writer.join();

  const int epoll = epoll_create1(0);
  epoll_event event = {};
  event.events = EPOLLIN;
  Check(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0, "epoll_ctl");
  writer = Later("writer", [&] { Check(write(ends[1], "x", 1) == 1, "write"); });
  Situation("epoll", "thread", "writer",
            [&] { Check(epoll_wait(epoll, &event, 1, -1) == 1, "epoll_wait"); });
  writer.join();
  Check(read(ends[0], &byte, 1) == 1, "read");
  Situation("epoll with a time-out", "timer", nullptr, [&] {
    Check(epoll_wait(epoll, &event, 1, static_cast<int>(kLong.count())) == 0, "epoll_wait");
  });

  int pair[2];
  Check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
  writer = Later("writer", [&] { Check(send(pair[1], "x", 1, 0) == 1, "send"); });
  Situation("local socket", "thread", "writer",
            [&] { Check(recv(pair[0], &byte, 1, 0) == 1, "recv"); });
  writer.join();

  const int counter = eventfd(0, 0);
  writer = Later("writer", [&] { Check(eventfd_write(counter, 1) == 0, "eventfd_write"); });
  Situation("eventfd", "thread", "writer", [&] {
    eventfd_t value;
    Check(eventfd_read(counter, &value) == 0, "eventfd_read");
  });
  writer.join();

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int signal_reader = signalfd(-1, &signals, 0);
  writer = Later("killer", [] { kill(getpid(), SIGUSR1); });
  Situation("signalfd", "thread", "killer", [&] {
    signalfd_siginfo info;
    Check(read(signal_reader, &info, sizeof info) == sizeof info, "read");
  });
  writer.join();
}

void Timers() {
  Situation("sleep", "timer", nullptr, [] { std::this_thread::sleep_for(kLong); });
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec time = {{0, 0}, {0, std::chrono::nanoseconds(kLong).count()}};
  Check(timerfd_settime(timer, 0, &time, nullptr) == 0, "timerfd_settime");
  Situation("timerfd", "timer", nullptr, [&] {
    std::uint64_t expirations;
    Check(read(timer, &expirations, sizeof expirations) == sizeof expirations, "read");
  });
  Situation("poll", "timer", nullptr, [] { poll(nullptr, 0, static_cast<int>(kLong.count())); });
}

void Disk(const std::string& folder) {
  constexpr std::size_t kPage = 4096, kPages = 64;
  const std::string path = folder + "/pages", bytes(kPages * kPage, 'x');
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
  Check(file >= 0, "pages");
  Situation("fsync", "disk", nullptr, [&] {
    Check(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
              fsync(file) == 0,
          "fsync");
  });
  const auto forget = [&] {
    Check(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0 &&
              posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM) == 0,
          "posix_fadvise");
  };
  forget();
  Situation("read", "disk", nullptr, [&] {
    char page[kPage];
    for (std::size_t i = 0; i < kPages; ++i) {
      Check(pread(file, page, kPage, static_cast<off_t>(i * kPage)) == kPage, "pread");
    }
  });
  forget();
  void* const pages = mmap(nullptr, bytes.size(), PROT_READ, MAP_SHARED, file, 0);
  Check(pages != MAP_FAILED && madvise(pages, bytes.size(), MADV_RANDOM) == 0, "mmap");
  Situation("page-in", "fault", nullptr, [&] {
    for (std::size_t i = 0; i < kPages; ++i) (void)static_cast<volatile char*>(pages)[i * kPage];
  });
  munmap(pages, bytes.size());
  close(file);
}

// Another thread preempts this one on the same processor.
void Processors() {
  std::thread hog;
  Situation("preempted", "preempted", "hog", [&] {
    UseProcessor(0);
    hog = std::thread([] {
      Name("hog");
      Compute(3 * kLong);
    });
    Compute(3 * kLong);
  });
  hog.join();
  Situation("preempted by real time", "preempted", "real time", [&] {
    hog = std::thread([] {
      Name("real time");
      std::this_thread::sleep_for(kLong / 4);
      sched_param priority = {};
      priority.sched_priority = 50;
      pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
      Compute(2 * kLong);
    });
    Compute(5 * kLong);
  });
  hog.join();
}

// Sends datagrams over the loopback device.
void Network() {
  const int sockets[2] = {socket(AF_INET, SOCK_DGRAM, 0), socket(AF_INET, SOCK_DGRAM, 0)};
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const auto pointer = reinterpret_cast<sockaddr*>(&address);
  Check(bind(sockets[0], pointer, size) == 0 && getsockname(sockets[0], pointer, &size) == 0 &&
            connect(sockets[1], pointer, size) == 0,
        "bind");
  std::thread sender = Later("sender", [&] { Check(send(sockets[1], "x", 1, 0) == 1, "send"); });
  char byte;
  Situation("datagram", "network", "sender",
            [&] { Check(recv(sockets[0], &byte, 1, 0) == 1, "recv"); });
  sender.join();
}

void Children() {
  Situation("child", "child", nullptr, [] {
    const pid_t child = fork();
    if (child == 0) {
      std::this_thread::sleep_for(kLong);
      _exit(0);
    }
    Check(waitpid(child, nullptr, 0) == child, "waitpid");
  });
}

// Hands the span over to another thread, which is busy at first, and ends it there.
void HandOver() {
  std::unique_ptr<opentracing::Span> span;
  sem_t busy, handed;
  sem_init(&busy, 0, 0);
  sem_init(&handed, 0, 0);
  std::thread worker([&] {
    Name("worker");
    const auto other = tracer->StartSpan("other");
    {
      const tracekin::Scope scope(*other);
      sem_post(&busy);
      Compute(kLong);
    }
    sem_wait(&handed);
    const tracekin::Scope scope(*span);
    Compute(kLong / 8);
  });
  sem_wait(&busy);
  span = tracer->StartSpan("queued");
  span->SetTag("cause", "thread");
  span->SetTag("by", "worker");
  sem_post(&handed);
  worker.join();
  span->Finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: kernel_situations FOLDER DISK" << std::endl;
    return 2;
  }
  tracekin::Options options;
  options.service_name = "situations";
  options.exporter.type = "file";
  options.exporter.path = std::string(argv[1]) + "/spans.json";
  options.ust.enabled = true;
  std::string error;
  tracer = tracekin::MakeTracer(options, &error);
  if (tracer == nullptr) {
    std::cerr << "kernel_situations: " << error << std::endl;
    return 1;
  }
  Locks();
  ChainOfLocks();
  Descriptors();
  Timers();
  Disk(argv[2]);
  Network();
  Children();
  HandOver();
  Processors();
  tracer->Close();
}
