// SPDX-License-Identifier: Apache-2.0
// Merges streams, each in the order of time, into one.
//
// A tree of losers (Knuth, The Art of Computer Programming, volume 3, section 5.4.1) knows which
// stream is next. It is not asked as long as that stream stays before the runner-up, because one
// CPU's events come in runs.
//
// Thread-safety: one thread at a time.
#ifndef TRACEKIN_CTF_MERGE_H
#define TRACEKIN_CTF_MERGE_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tracekin::ctf {

/// Which of several streams has the smallest key. Of equal keys the one of the lower stream is
/// smaller.
class LoserTree {
 public:
  /// The keys of all streams. A stream that has ended is given with `ended`.
  struct Key {
    std::uint64_t cycles = 0;
    bool ended = false;
  };
  explicit LoserTree(std::vector<Key> keys) : keys_(std::move(keys)), losers_(keys_.size()) {
    if (!keys_.empty()) winner_ = Build(1);
  }

  std::size_t winner() const { return winner_; }
  bool ended() const { return keys_.empty() || keys_[winner_].ended; }

  /// The first of the others: it is on the winner's way to the root. Only with two streams or more.
  std::size_t runner_up() const {
    std::size_t best = losers_[Parent(winner_)];
    for (std::size_t node = Parent(winner_) / 2; node > 0; node /= 2) {
      if (Before(losers_[node], best)) best = losers_[node];
    }
    return best;
  }

  bool Before(std::size_t one, std::size_t other) const {
    const Key& left = keys_[one];
    const Key& right = keys_[other];
    if (left.ended != right.ended) return right.ended;
    if (left.cycles != right.cycles) return left.cycles < right.cycles;
    return one < other;
  }

  void SetWinnersKey(Key key) { keys_[winner_] = key; }

  /// Finds the winner again, after its key has changed.
  void Replay() {
    std::size_t winner = winner_;
    for (std::size_t node = Parent(winner_); node > 0; node /= 2) {
      if (Before(losers_[node], winner)) std::swap(losers_[node], winner);
    }
    winner_ = winner;
  }

 private:
  // The leaves stand behind the inner nodes 1 to n - 1.
  std::size_t Parent(std::size_t stream) const { return (stream + keys_.size()) / 2; }

  std::size_t Build(std::size_t node) {
    if (node >= keys_.size()) return node - keys_.size();
    std::size_t left = Build(2 * node);
    std::size_t right = Build(2 * node + 1);
    if (Before(right, left)) std::swap(left, right);
    losers_[node] = right;
    return left;
  }

  std::vector<Key> keys_;
  std::vector<std::size_t> losers_;  // by inner node
  std::size_t winner_ = 0;
};

/// Calls `visit` with the event of each of `streams`, in the order of cycles; of equal ones in the
/// order of the streams. A Stream has Next(), cycles() and event(), as StreamReader.
template <class Stream, class Visit>
void Merge(const std::vector<Stream*>& streams, const Visit& visit) {
  std::vector<LoserTree::Key> keys;
  const auto advance = [](Stream* stream) {
    const bool more = stream->Next();
    return LoserTree::Key{more ? stream->cycles() : 0, !more};
  };
  keys.reserve(streams.size());
  for (Stream* stream : streams) keys.push_back(advance(stream));
  LoserTree tree(std::move(keys));
  while (!tree.ended()) {
    Stream* const stream = streams[tree.winner()];
    const bool alone = streams.size() == 1;
    const std::size_t runner_up = alone ? 0 : tree.runner_up();
    do {
      visit(stream->event());
      tree.SetWinnersKey(advance(stream));
    } while (!tree.ended() && (alone || tree.Before(tree.winner(), runner_up)));
    tree.Replay();
  }
}

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_MERGE_H
