import type { AuditEvent, RecordedAuditEvent } from "@sallyport/core";
import { equal, equalInAnyOrder, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce } from "../fixtures/at-once.ts";
import { auditEvent } from "../fixtures/every-call.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";
import { hour } from "../fixtures/policy.ts";

function eventOf({ sequence: _sequence, at: _at, ...event }: RecordedAuditEvent): AuditEvent {
  return event;
}

function isAscending(events: readonly RecordedAuditEvent[]): boolean {
  return events.every(({ sequence }, index) => index === 0 || sequence > (events[index - 1]?.sequence ?? 0));
}

export const auditChecks: readonly Check[] = checksOf("audit", {
  "keeps events as they were appended, in order": async ({ r }) => {
    const events: AuditEvent[] = [
      { ...auditEvent, appNames: ["field", "office"], userId: "A1" },
      { ...auditEvent, type: "login.refused", outcome: 302, requestId: "second" },
      { ...auditEvent, type: "logout", address: "2001:db8::1" },
      { ...auditEvent, type: "logout.failed", outcome: 703 },
    ];
    for (const event of events) await r.audit.append(event);
    const read = await r.audit.read(0, 10);
    equal(read.map(eventOf), events, "the events");
    holds(isAscending(read), "The sequence rises");
  },

  "dates events by the storage's clock": async ({ storage, r, advance }) => {
    for (const passed of [0, hour]) {
      advance(passed);
      const before = await storage.now();
      await r.audit.append(auditEvent);
      const after = await storage.now();
      const at = (await r.audit.read(0, 10)).at(-1)?.at ?? 0;
      holds(before <= at && at <= after, `An event between ${before} and ${after} is dated ${at}`);
    }
  },

  "reads on from where a reader stopped": async ({ r }) => {
    for (let index = 0; index < 7; index += 1) await r.audit.append({ ...auditEvent, requestId: String(index) });
    const seen: string[] = [];
    for (let after = 0, rounds = 0; rounds < 4; rounds += 1) {
      const events = await r.audit.read(after, 3);
      equal(events.length, [3, 3, 1, 0][rounds], "how many events are read");
      seen.push(...events.map(({ requestId }) => requestId));
      after = events.at(-1)?.sequence ?? after;
    }
    equal(seen, ["0", "1", "2", "3", "4", "5", "6"], "the requests in order");
  },

  "reads nothing when nothing is asked for or left": async ({ r }) => {
    await r.audit.append(auditEvent);
    const [event] = await r.audit.read(0, 10);
    equal(await r.audit.read(0, 0), [], "no events at most");
    equal(await r.audit.read(event?.sequence ?? 0, 10), [], "events after the last");
    equal(await r.audit.read(Number.MAX_SAFE_INTEGER, 10), [], "events far in the future");
  },

  "only grows: what was read once is read again, unchanged": async ({ r }) => {
    await atOnce(5, (index) => r.audit.append({ ...auditEvent, requestId: String(index) }));
    const before = await r.audit.read(0, 100);
    await atOnce(5, (index) => r.audit.append({ ...auditEvent, requestId: String(index) }));
    const after = await r.audit.read(0, 100);
    equal(after.slice(0, 5), before, "the first events");
    equal(after.length, 10, "how many events there are");
  },

  "keeps every event of those appended at once": async ({ r }) => {
    await atOnce(24, (index) => r.audit.append({ ...auditEvent, requestId: String(index) }));
    const events = await r.audit.read(0, 100);
    const requests = Array.from({ length: 24 }, (_, index) => String(index));
    equalInAnyOrder(events.map(({ requestId }) => requestId), requests, "the requests");
    holds(isAscending(events), "The sequence rises");
  },

  "keeps the hostile texts of an event as they are": async ({ r }) => {
    const events = hostileTexts.map((text) => ({ ...auditEvent, requestId: text, appKeyId: text, address: text, appNames: [text] }));
    for (const event of events) await r.audit.append(event);
    equal((await r.audit.read(0, 100)).map(eventOf), events, "the events");
  },
});
