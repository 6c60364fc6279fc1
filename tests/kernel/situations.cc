// SPDX-License-Identifier: Apache-2.0
// Waits in many ways, each in a span whose tags specify the result that `tracekin why` must find.
//
// usage: kernel_situations FOLDER DISK
//
// Appends the spans to FOLDER/spans.json. DISK is a folder on a slow disk. The tag `cause` is the
// cause of the time that the span waits, `also` is a cause of some of it, and `by` is the name of
// the thread that it waits for.
// A situation that the kernel does not offer is reported on standard output in a line that begins
// with SKIPPED.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <tracekin/scope.h>
#include <tracekin/tracer.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <future>
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

void Skip(const char* situation, const std::string& why) {
  std::cout << "SKIPPED " << situation << ": " << why << std::endl;
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

// `also` is another cause of the wait, or null.
void Situation(const char* name, const char* cause, const char* by,
               const std::function<void()>& wait, const char* also = nullptr) {
  const auto span = tracer->StartSpan(name);
  span->SetTag("cause", cause);
  if (also != nullptr) span->SetTag("also", also);
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

void UseAllProcessors() {
  cpu_set_t set;
  memset(&set, 0xFF, sizeof set);
  Check(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

void BecomeUrgent() {
  sched_param priority = {};
  priority.sched_priority = 50;
  pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
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

  Situation("futex with a time-out", "timer", nullptr, [] {
    int word = 0;
    const timespec timeout = {0, std::chrono::nanoseconds(kLong).count()};
    Check(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &timeout) == -1 && errno == ETIMEDOUT,
          "futex");
  });
}

// The span's thread hands work to a thread of a pool and waits for the result.
void ThreadPool() {
  std::promise<std::packaged_task<void()>> work;
  std::thread pool([handed = work.get_future()]() mutable {
    Name("pool");
    handed.get()();
    Compute(kLong / 8);  // so that it does not end at once, which would wake others, too
  });
  Situation("thread pool", "lock", "pool", [&] {
    std::packaged_task<void()> task([] { Compute(kLong); });
    std::future<void> result = task.get_future();
    work.set_value(std::move(task));
    result.wait();
  });
  pool.join();
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

  int full[2];
  Check(pipe(full) == 0 && fcntl(full[1], F_SETPIPE_SZ, 4096) == 4096, "pipe");
  const std::string page(4096, 'x');
  Check(write(full[1], page.data(), page.size()) == 4096, "write");
  std::thread reader = Later("reader", [&] {
    char bytes[4096];
    Check(read(full[0], bytes, sizeof bytes) == sizeof bytes, "read");
  });
  Situation("full pipe", "thread", "reader",
            [&] { Check(write(full[1], page.data(), page.size()) == 4096, "write"); });
  reader.join();

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
  Situation(
      "fsync", "disk", nullptr,
      [&] {
        Check(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
                  fsync(file) == 0,
              "fsync");
      },
      "thread");  // the journal's thread, while it runs
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

// A ring of io_uring with room for one request, without liburing.
class Ring {
 public:
  Ring() {
    io_uring_params parameters = {};
    fd_ = static_cast<int>(syscall(SYS_io_uring_setup, 1, &parameters));
    if (fd_ < 0) return;
    const std::size_t size =
        parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned) + 4096;
    rings_ = static_cast<char*>(Map(size, IORING_OFF_SQ_RING));
    completions_ = static_cast<char*>(Map(
        parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe), IORING_OFF_CQ_RING));
    entry_ = static_cast<io_uring_sqe*>(Map(sizeof(io_uring_sqe), IORING_OFF_SQES));
    submissions_ = parameters.sq_off;
    completed_ = parameters.cq_off;
  }
  ~Ring() { close(fd_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  bool works() const { return fd_ >= 0; }

  // Submits a request and waits for it. Returns its result.
  int Run(const io_uring_sqe& request) {
    *entry_ = request;
    reinterpret_cast<unsigned*>(rings_ + submissions_.array)[0] = 0;
    auto* const tail = reinterpret_cast<std::atomic<unsigned>*>(rings_ + submissions_.tail);
    tail->fetch_add(1);
    Check(syscall(SYS_io_uring_enter, fd_, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) == 1,
          "io_uring_enter");
    auto* const head = reinterpret_cast<std::atomic<unsigned>*>(completions_ + completed_.head);
    const unsigned mask = *reinterpret_cast<unsigned*>(completions_ + completed_.ring_mask);
    const auto* const all = reinterpret_cast<io_uring_cqe*>(completions_ + completed_.cqes);
    const int result = all[head->load() & mask].res;
    head->fetch_add(1);
    return result;
  }

 private:
  void* Map(std::size_t size, off_t what) const {
    void* const mapped =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, what);
    Check(mapped != MAP_FAILED, "mmap");
    return mapped;
  }

  int fd_;
  char* rings_ = nullptr;
  char* completions_ = nullptr;
  io_uring_sqe* entry_ = nullptr;
  io_sqring_offsets submissions_ = {};
  io_cqring_offsets completed_ = {};
};

void IoUring(const std::string& folder) {
  Ring ring;
  if (!ring.works()) return Skip("io_uring", strerror(errno));
  constexpr std::size_t kPage = 4096, kPages = 16;
  const std::string path = folder + "/ring", bytes(kPages * kPage, 'x');
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
  Check(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
        "ring");
  io_uring_sqe request = {};
  request.fd = file;
  request.opcode = IORING_OP_FSYNC;
  Situation(
      "fsync by io_uring", "disk", nullptr,
      [&] { Check(ring.Run(request) == 0, "IORING_OP_FSYNC"); }, "thread");
  const int direct = open(path.c_str(), O_RDONLY | O_DIRECT);
  Check(direct >= 0, "O_DIRECT");
  static char page[kPage] __attribute__((aligned(4096)));
  request.fd = direct;
  request.opcode = IORING_OP_READ;
  request.addr = reinterpret_cast<std::uintptr_t>(page);
  request.len = kPage;
  Situation("read by io_uring", "disk", nullptr, [&] {
    for (std::size_t i = 0; i < kPages; ++i) {
      request.off = i * kPage;
      Check(ring.Run(request) == static_cast<int>(kPage), "IORING_OP_READ");
    }
  });
  close(direct);
  close(file);
}

// Interrupts take the processor of a thread that computes.
void Interrupts() {
  UseProcessor(0);
  constexpr long kInterval = 100'000, kTimers = 400;
  std::vector<int> timers;
  for (long i = 1; i <= kTimers; ++i) timers.push_back(timerfd_create(CLOCK_MONOTONIC, 0));
  Situation("timers that interrupt", "interrupted", nullptr, [&] {
    for (long i = 1; i <= kTimers; ++i) {
      const itimerspec time = {{0, 0}, {0, i * kInterval}};
      Check(timerfd_settime(timers[static_cast<std::size_t>(i - 1)], 0, &time, nullptr) == 0,
            "timerfd_settime");
    }
    Compute(kLong);
  });
  for (const int timer : timers) close(timer);

  const int sockets[2] = {socket(AF_INET, SOCK_DGRAM, 0), socket(AF_INET, SOCK_DGRAM, 0)};
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const auto pointer = reinterpret_cast<sockaddr*>(&address);
  Check(bind(sockets[0], pointer, size) == 0 && getsockname(sockets[0], pointer, &size) == 0 &&
            connect(sockets[1], pointer, size) == 0,
        "bind");
  Situation("datagrams that interrupt", "interrupted", nullptr, [&] {
    for (int i = 0; i < 300; ++i) Check(send(sockets[1], "x", 1, 0) == 1, "send");
  });
  for (const int each : sockets) close(each);
  UseAllProcessors();
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// The control group may use a tenth of a processor.
void Quota() {
  const std::string root = "/sys/fs/cgroup/", group = root + "tracekin";
  if ((mkdir(group.c_str(), 0755) != 0 && errno != EEXIST) ||
      !Write(group + "/cpu.max", "10000 100000")) {
    return Skip("quota", "there is no control group with a quota");
  }
  Check(Write(group + "/cgroup.procs", "0"), "cgroup.procs");
  Situation("quota", "ready", nullptr, [] { Compute(kLong / 2); });
  Check(Write(root + "cgroup.procs", "0"), "cgroup.procs");
}

// A thread on the same processor, which takes it away.
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
  Situation("preempted on the other processor", "preempted", "hog", [&] {
    UseProcessor(1);
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
      BecomeUrgent();
      Compute(2 * kLong);
    });
    Compute(5 * kLong);
  });
  hog.join();
  hog = std::thread([] {
    Name("real time");
    BecomeUrgent();
    std::this_thread::sleep_for(kLong / 2);
    Compute(2 * kLong);
  });
  Situation(
      "ready behind real time", "ready", "real time", [] { std::this_thread::sleep_for(kLong); },
      "timer");
  hog.join();
  UseAllProcessors();
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

// A server that answers one request, in a network namespace of that name unless it is null.
class Server {
 public:
  Server(const char* network, std::uint32_t address, bool loses)
      : thread_([=] { Serve(network, address, loses); }) {
    const sockaddr_in of_server = bound_.get_future().get();
    client_ = socket(AF_INET, SOCK_STREAM, 0);
    Check(connect(client_, reinterpret_cast<const sockaddr*>(&of_server), sizeof of_server) == 0,
          "connect");
    accepted_.get_future().wait();
  }
  ~Server() {
    thread_.join();
    close(client_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void Call() const {
    char byte;
    Check(send(client_, "x", 1, 0) == 1 && recv(client_, &byte, 1, 0) == 1, "call");
  }

 private:
  void Serve(const char* network, std::uint32_t at, bool loses) {
    Name("server");
    if (network != nullptr) {
      const int space = open(network, O_RDONLY);
      Check(space >= 0 && setns(space, CLONE_NEWNET) == 0, network);
      close(space);
    }
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(at);
    socklen_t size = sizeof address;
    const auto pointer = reinterpret_cast<sockaddr*>(&address);
    Check(bind(listener, pointer, size) == 0 && listen(listener, 1) == 0 &&
              getsockname(listener, pointer, &size) == 0,
          "bind");
    bound_.set_value(address);
    const int connection = accept(listener, nullptr, nullptr);
    if (loses) LosePackets(connection);
    accepted_.set_value();
    if (loses) {
      const int none = 0;
      std::this_thread::sleep_for(2 * kLong);
      Check(setsockopt(connection, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof none) == 0,
            "filter");
    }
    char byte;
    Check(recv(connection, &byte, 1, 0) == 1, "recv");
    std::this_thread::sleep_for(kLong);
    Check(send(connection, &byte, 1, 0) == 1, "send");
    close(connection);
    close(listener);
  }

  // From now on, the kernel drops all that the connection receives, before it is acknowledged.
  static void LosePackets(int connection) {
    sock_filter drop = {BPF_RET | BPF_K, 0, 0, 0};
    const sock_fprog program = {1, &drop};
    Check(setsockopt(connection, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0,
          "filter");
  }

  std::promise<sockaddr_in> bound_;
  std::promise<void> accepted_;
  int client_ = -1;
  std::thread thread_;  // the last one, because it uses the others
};

void Calls() {
  {
    const Server server(nullptr, INADDR_LOOPBACK, false);
    Situation("call", "network", "server", [&] { server.Call(); });
  }
  {
    const Server server(nullptr, INADDR_LOOPBACK, true);
    Situation("call with lost packets", "network", "server", [&] { server.Call(); });
  }
  constexpr const char* kNetwork = "/run/netns/server";
  if (access(kNetwork, R_OK) != 0) {
    return Skip("call into another network", "there is no network namespace");
  }
  constexpr std::uint32_t kAddress = 10U << 24 | 2;  // 10.0.0.2
  const Server server(kNetwork, kAddress, false);
  Situation("call into another network", "network", "server", [&] { server.Call(); });
}

// A coroutine that two threads resume one after the other, and that sleeps on both.
void Coroutine() {
  const auto span = tracer->StartSpan("coroutine that moves");
  span->SetTag("cause", "timer");
  span->SetTag("also", "thread");  // until the second thread resumes it
  for (int i = 0; i < 2; ++i) {
    std::thread([&] {
      Name("resumer");
      const tracekin::Scope scope(*span);
      std::this_thread::sleep_for(kLong);
    }).join();
  }
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
  ThreadPool();
  ChainOfLocks();
  Descriptors();
  Timers();
  Disk(argv[2]);
  IoUring(argv[2]);
  Network();
  Calls();
  Children();
  HandOver();
  Coroutine();
  Processors();
  Interrupts();
  Quota();
  tracer->Close();
}
