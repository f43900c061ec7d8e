import type { Digest, ObjectId } from "@sallyport/storage";
import { withNames, withTexts } from "../object-names.ts";

/** The objects and sessions of a history so far, with their names. */
export class ReplayedHistory {
  /** Object ids by number; `null` if the creation failed. */
  readonly ids: (ObjectId | null)[] = [];
  /** Number of attempted session openings. */
  sessions = 0;

  /** The id of an object; `undefined` if its creation failed. */
  idOf(number: number): ObjectId | undefined {
    return this.ids[number] ?? undefined;
  }

  digestOf(session: number): Digest {
    return session.toString(16).padStart(64, "5e55");
  }

  /** Replaces ids and digests by names. */
  named(value: unknown): unknown {
    const sessions = new Map(
      Array.from({ length: this.sessions }, (_, number) => [this.digestOf(number), `session ${number}`]),
    );
    return withTexts(withNames(value, this.ids), (text) => sessions.get(text) ?? text);
  }

  /** Drops the ids from number `count` on: their creation was rolled back, and some storages reuse them. */
  forgetSince(count: number): void {
    for (let number = count; number < this.ids.length; number += 1) this.ids[number] = null;
  }
}
