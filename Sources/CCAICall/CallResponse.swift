public import Foundation
internal import PlatformSignalling

/// Another name of ``CallResponse``.
public typealias Call = CallResponse

/// A call as the platform sees it at one moment.
public struct CallResponse: Decodable, Hashable, Sendable, Identifiable {
    /// The platform's id of the call.
    public let id: Int
    /// Where the call stands on the platform.
    ///
    /// Independent of ``CallProviderState``: read both.
    public let status: CallStatus
    /// The platform's finer word for ``status``, or `nil`.
    public let serverStatus: String?
    /// The estimated wait in the queue, seconds.
    public let estimatedWait: Int?
    /// Who has the call, human or virtual; `nil` while it waits.
    public let agent: CallParticipant?
    /// Why the call is over; `nil` until then.
    public let endReason: CallEndReason?
    /// What kind of call it is; `nil` for a kind this version doesn't know.
    public let type: CallType?
    /// When the call was first connected: the start of a call timer.
    public let connectedAt: Date?

    /// Reads the platform's JSON.
    ///
    /// A status that this version doesn't know is ``CallStatus/connecting``.
    public init(from decoder: any Decoder) throws {
        self.init(try CallSnapshot(from: decoder))
    }

    /// Takes over a snapshot; `previous` stands for a status that this version doesn't know.
    init(_ snapshot: CallSnapshot, previous: CallStatus = .connecting) {
        id = snapshot.id
        status = CallStatus(wireValue: snapshot.status) ?? previous
        serverStatus = snapshot.serverStatus
        estimatedWait = snapshot.estimatedWait
        agent = (snapshot.agent ?? snapshot.virtualAgent).map(CallParticipant.init)
        endReason = snapshot.endReason.map(CallEndReason.init)
        type = snapshot.type.flatMap(CallType.init(rawValue:))
        connectedAt = snapshot.connectedAt
    }
}

/// Where a call stands on the platform.
@nonexhaustive public enum CallStatus: String, Decodable, Sendable {
    /// The call is being set up, or an agent is being connected.
    case connecting
    /// The call waits in the queue.
    case waiting
    /// An agent, human or virtual, has the call.
    case connected
    /// One side holds the call.
    case onHold
    /// One side is lost; the call is kept for a while.
    case interrupted
    /// The call is over.
    case ended
    /// The call never came about.
    case failed

    /// Reads the platform's word.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let status = CallStatus(wireValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown call status")
        }
        self = status
    }

    init?(wireValue: String) {
        self.init(rawValue: wireValue == "on_hold" ? "onHold" : wireValue)
    }
}

/// A kind of call.
@nonexhaustive public enum CallType: String, Decodable, Sendable {
    /// Started at once by the user.
    case instant
    /// A message to be left.
    case voicemail
    /// Booked for a time.
    case scheduled
    /// Started by the company.
    case incoming
    /// The company calls back.
    case callback
}

/// Someone in a call.
public struct CallParticipant: Decodable, Hashable, Sendable {
    /// The platform's id.
    public let id: Int
    /// The name to show.
    public let name: String?

    init(_ participant: CallSnapshot.Participant) {
        id = participant.id
        name = participant.name
    }
}

/// Why a call is over.
public struct CallEndReason: Decodable, Hashable, Sendable {
    /// The platform's word: `eu_canceled`, `ag_canceled`, `voip_conn_timeout` and others.
    public let code: String
    /// The platform's number of the same, or `nil`.
    public let number: Int?

    init(_ reason: CallSnapshot.EndReason) {
        code = reason.code
        number = reason.number
    }
}
