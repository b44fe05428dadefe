/// What to play next.
///
/// Deciding is the buffer's; decoding, recovering and concealing are the caller's.
///
/// Stretching time, with its own decisions, fits in beside these.
package enum PlayoutDecision: BitwiseCopyable, Hashable, Sendable {
    /// Decode the packet in `slot`.
    case play(slot: Int)
    /// Restore the packet before the one in `slot` from what that one carries for it (in-band FEC), else conceal.
    case recover(slot: Int, ticks: Int)
    /// Make up `ticks` of sound.
    case conceal(ticks: Int, reason: ConcealmentReason)
    /// Play `ticks` of silence or comfort noise: nothing is due.
    case rest(ticks: Int)
}

/// Why sound must be made up.
package enum ConcealmentReason: BitwiseCopyable, Hashable, Sendable {
    /// A later packet is here, this one isn't: lost, or so late that its turn is over.
    case missing
    /// The buffer is empty: what comes next is late, or lost. The delay grows meanwhile.
    case underrun
}

/// What became of a packet that was put in.
package enum InsertionOutcome: BitwiseCopyable, Hashable, Sendable {
    case kept
    /// It's here already.
    case duplicate
    /// Its turn to be played was over.
    case late
    /// It is far from where the stream was; dropped, but if its successor follows, that one is the new beginning.
    case stray
    /// It began the stream anew after a jump of sequence numbers or timestamps; what was waiting is gone.
    case restarted
    /// It is longer than any payload may be.
    case oversized
}
