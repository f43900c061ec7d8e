import {
  acceptStorable,
  type Digest,
  type OneTimeIssue,
  type OneTimeKind,
  type OneTimePayload,
  type OneTimeRepository,
  type OneTimeRoom,
  type OneTimeSecret,
  ServiceError,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./table.ts";
import { oneTimeKey, type OneTimeRecord } from "./records.ts";
import type { State } from "./state.ts";

export class MemoryOneTimeRepository implements OneTimeRepository {
  constructor(private readonly access: Access) {}

  async issue(secret: OneTimeSecret): Promise<void> {
    const keep = keeping(secret);
    return this.access.write(keep);
  }

  async issueWithin(secret: OneTimeSecret & { readonly subject: string }, room: OneTimeRoom): Promise<OneTimeIssue> {
    const keep = keeping(secret);
    return this.access.write((state, now) => {
      const full = wantingRoom(state, now, secret, room);
      if (full !== null) return full;
      keep(state, now);
      return "issued";
    });
  }

  read(kind: OneTimeKind, digest: Digest): Promise<OneTimePayload | null> {
    return this.access.read((state, now) => good(state, kind, digest, now)?.payload ?? null);
  }

  consume(kind: OneTimeKind, digest: Digest): Promise<OneTimePayload | null> {
    return this.access.write((state, now) => spent(state, kind, digest, now));
  }

  revoke(kind: OneTimeKind, subject: string): Promise<number> {
    return this.access.write(({ oneTimeSecrets }, now) => {
      const revoked = [...oneTimeSecrets.entries()].filter(
        ([, each]) => each.kind === kind && each.subject === subject && each.expiresAt > now,
      );
      for (const [key] of revoked) oneTimeSecrets.delete(key);
      return revoked.length;
    });
  }

  sweep(limit: number): Promise<number> {
    return this.access.write(({ oneTimeSecrets }, now) => {
      const over = [...oneTimeSecrets.entries()].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, limit);
      for (const [key] of over) oneTimeSecrets.delete(key);
      return over.length;
    });
  }
}

/** What keeps it, when it is found to be storable. */
function keeping({ kind, digest, subject, payload, lifetime }: OneTimeSecret): (state: State, now: number) => void {
  acceptStorable([subject, payload]);
  const kept = frozenCopy({ kind, subject, payload });
  return (state, now) => {
    if (good(state, kind, digest, now) !== undefined)
      throw new ServiceError(799, { detail: "A secret was given out twice." });
    state.oneTimeSecrets.set(oneTimeKey(kind, digest), Object.freeze({ ...kept, expiresAt: now + lifetime }));
  };
}

/** Whose room is used up; `null` if there is some. */
function wantingRoom(
  { oneTimeSecrets }: State,
  now: number,
  { kind, subject }: OneTimeSecret,
  { ofSubject, inAll }: OneTimeRoom,
): "subjectFull" | "full" | null {
  let [own, all] = [0, 0];
  for (const [, record] of oneTimeSecrets.entries()) {
    if (record.kind !== kind || record.expiresAt <= now) continue;
    all += 1;
    if (record.subject === subject) own += 1;
  }
  if (ofSubject > 0 && own >= ofSubject) return "subjectFull";
  return inAll > 0 && all >= inAll ? "full" : null;
}

/** What it stands for, spent by this; `null` if it is not good. */
export function spent(state: State, kind: OneTimeKind, digest: Digest, now: number): OneTimePayload | null {
  const record = good(state, kind, digest, now);
  if (record === undefined) return null;
  state.oneTimeSecrets.delete(oneTimeKey(kind, digest));
  return record.payload;
}

/** The secret, if its time is not over. */
function good({ oneTimeSecrets }: State, kind: OneTimeKind, digest: Digest, now: number): OneTimeRecord | undefined {
  const record = oneTimeSecrets.get(oneTimeKey(kind, digest));
  return record !== undefined && record.expiresAt > now ? record : undefined;
}
