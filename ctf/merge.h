// SPDX-License-Identifier: Apache-2.0
// Merges several streams, each sorted by time, into one.
//
// A tree of losers (Knuth, The Art of Computer Programming, volume 3, section 5.4.1) knows which
// stream is next. The tree is not searched while that stream stays before the runner-up, which
// saves time because one CPU often records many events in a row.
//
// Thread-safety: one thread at a time.
#ifndef TRACEKIN_CTF_MERGE_H
#define TRACEKIN_CTF_MERGE_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tracekin::ctf {

/// Finds the stream that has the smallest key. If keys are equal, the stream with the lower number
/// comes first.
class LoserTree {
 public:
  /// The key of a stream. `ended` is set if the stream has ended.
  struct Key {
    std::uint64_t cycles = 0;
    bool ended = false;
  };
  explicit LoserTree(std::vector<Key> keys) : keys_(std::move(keys)), losers_(keys_.size()) {
    if (!keys_.empty()) winner_ = Build(1);
  }

  std::size_t winner() const { return winner_; }
  bool ended() const { return keys_.empty() || keys_[winner_].ended; }

  /// Returns the stream with the second smallest key, which is on the winner's path to the root.
  /// REQUIRES: there are at least two streams.
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

  /// Finds the new winner after the key of the current winner has changed.
  void Replay() {
    std::size_t winner = winner_;
    for (std::size_t node = Parent(winner_); node > 0; node /= 2) {
      if (Before(losers_[node], winner)) std::swap(losers_[node], winner);
    }
    winner_ = winner;
  }

 private:
  // The leaves follow the inner nodes 1 to n - 1.
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
  std::vector<std::size_t> losers_;  // indexed by inner node
  std::size_t winner_ = 0;
};

/// Calls `visit` with each event of `streams` in the order of their cycles. Events with equal
/// cycles are in the order of their streams. A Stream has Next(), cycles() and event(), like
/// StreamReader.
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
