import type { AuditEvent, RecordedAuditEvent } from "@sallyport/storage";
import { equal, equalInAnyOrder, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { concurrently, whileOpen } from "../fixtures/concurrently.ts";
import { auditEvent } from "../fixtures/every-call.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";
import { pluck, rowsOf } from "../fixtures/lists.ts";
import { hour, minute } from "../fixtures/policy.ts";

/** Changes with all kinds of values. */
const hostileChanges = hostileTexts.map((text, index) => ({
  name: text,
  before: [null, true, 1.5, [], ["*", "A1"], {}][index % 6] ?? null,
  after: { z: text, a: [text, null] },
}));

function eventOf(recorded: RecordedAuditEvent): AuditEvent {
  const { sequence: _sequence, at: _at, since: _since, attempts: _attempts, ...event } = recorded;
  return event;
}

function ofRequest(requestId: string): AuditEvent {
  return { ...auditEvent, requestId };
}

function isAscending(events: readonly RecordedAuditEvent[]): boolean {
  return events.every(({ sequence }, index) => index === 0 || sequence > (events[index - 1]?.sequence ?? 0));
}

const eventChecks = checksOf("audit", {
  "stores events unchanged and in order": async ({ r }) => {
    const events: AuditEvent[] = [
      { ...auditEvent, appNames: ["field", "office"], actorId: "A1", subjectId: "7" },
      { ...auditEvent, type: "login.refused", outcome: 302, requestId: "second" },
      { ...auditEvent, type: "logout.completed", address: "2001:db8::1" },
      { ...auditEvent, type: "logout.failed", outcome: 703 },
      { ...auditEvent, type: "class.created", className: "Invoice" },
      { ...auditEvent, type: "class.removed", className: `C${"x".repeat(62)}` },
      { ...auditEvent, type: "macro.stored", macroName: "Report" },
      { ...auditEvent, type: "macro.removed", macroName: "m".repeat(128) },
      { ...auditEvent, type: "provider.stored", providerName: "microsoft" },
      { ...auditEvent, type: "appSeats.changed", changes: [{ name: "seats", before: null, after: 3 }] },
      { ...auditEvent, type: "class.changed", changes: hostileChanges },
    ];
    for (const event of events) await r.audit.append(event);
    const read = await r.audit.read(0, 100);
    equal(read.map(eventOf), events, "the events");
    isTrue(isAscending(read), "The sequence must increase");
  },

  "dates events with the storage clock": async ({ storage, r, advance }) => {
    for (const passed of [0, hour]) {
      advance(passed);
      const before = await storage.now();
      await r.audit.append(auditEvent);
      const after = await storage.now();
      const at = (await r.audit.read(0, 10)).at(-1)?.at ?? 0;
      isTrue(before <= at && at <= after, `The time ${at} of the event must be between ${before} and ${after}`);
    }
  },

  "counts an event as one attempt": async ({ r }) => {
    await r.audit.append(auditEvent);
    const [event] = await r.audit.read(0, 10);
    equal([event?.attempts, event?.since], [1, event?.at], "the attempts and the time of the first one");
  },

  "continues reading after the last read event": async ({ r }) => {
    for (let index = 0; index < 7; index += 1) await r.audit.append(ofRequest(String(index)));
    const seen: string[] = [];
    for (let after = 0, rounds = 0; rounds < 4; rounds += 1) {
      const events = await r.audit.read(after, 3);
      equal(events.length, [3, 3, 1, 0][rounds], "number of read events");
      seen.push(...pluck(events, "requestId"));
      after = events.at(-1)?.sequence ?? after;
    }
    equal(seen, ["0", "1", "2", "3", "4", "5", "6"], "the requests in order");
  },

  "reads no events for a limit of zero or after the last event": async ({ r }) => {
    await r.audit.append(auditEvent);
    const [event] = await r.audit.read(0, 10);
    equal(await r.audit.read(0, 0), [], "the events for a limit of zero");
    equal(await r.audit.read(event?.sequence ?? 0, 10), [], "the events after the last one");
    equal(await r.audit.read(Number.MAX_SAFE_INTEGER, 10), [], "the events after a much later sequence");
  },

  "shows events in sequence order regardless of commit order": async ({ storage, r }) => {
    await whileOpen(
      storage,
      (inside) => inside.audit.append(ofRequest("late")),
      () => r.audit.append(ofRequest("during")),
      { reads: 30 },
    );
    await r.audit.append(ofRequest("last"));
    const events = await r.audit.read(0, 10);
    isTrue(isAscending(events), "The sequence must increase");
    equalInAnyOrder(pluck(events, "requestId"), ["late", "during", "last"], "the requests");
    equal(events.at(-1)?.requestId, "last", "the last request");
    equal(await r.audit.read(events[0]?.sequence ?? 0, 10), events.slice(1), "the events after the first one");
  },

  "returns the same events on every later read": async ({ r }) => {
    await concurrently(5, (index) => r.audit.append(ofRequest(String(index))));
    const before = await r.audit.read(0, 100);
    await concurrently(5, (index) => r.audit.append(ofRequest(String(index))));
    const after = await r.audit.read(0, 100);
    equal(after.slice(0, 5), before, "the first events");
    equal(after.length, 10, "number of events");
  },

  "keeps every concurrently appended event": async ({ r }) => {
    await concurrently(24, (index) => r.audit.append(ofRequest(String(index))));
    const events = await r.audit.read(0, 100);
    const requests = Array.from({ length: 24 }, (_, index) => String(index));
    equalInAnyOrder(pluck(events, "requestId"), requests, "the requests");
    isTrue(isAscending(events), "The sequence must increase");
  },

  "stores the hostile texts of an event unchanged": async ({ r }) => {
    const events = hostileTexts.map((text) => ({
      ...auditEvent,
      requestId: text,
      appKeyId: text,
      address: text,
      appNames: [text],
    }));
    for (const event of events) await r.audit.append(event);
    equal((await r.audit.read(0, 100)).map(eventOf), events, "the events");
  },
});

const tallyChecks = checksOf("audit", {
  "combines the tallied attempts of one key into one event": async ({ storage, r, advance }) => {
    const outcome = { type: "login.refused", outcome: 302, providerName: "apple" } as const;
    const refused: AuditEvent = { ...auditEvent, ...outcome, actorId: "A1", subjectId: "7" };
    const times = [await storage.now()];
    const tally = async (requestId: string) => {
      await r.audit.append({ ...refused, requestId, appNames: [requestId] }, "key");
      times.push(await storage.now());
    };
    await tally("first");
    advance(minute);
    await tally("second");
    advance(minute);
    times.push(await storage.now());
    await tally("third");
    equal(await r.audit.read(0, 10), [], "the events before the tally is settled");
    advance(hour);
    equal(await r.audit.settle(minute, 10), 1, "number of settled tallies");
    const events = await r.audit.read(0, 10);
    equal(events.map(eventOf), [{ ...refused, requestId: "first", appNames: ["first"] }], "the event");
    const { attempts = 0, since = 0, at = 0 } = events[0] ?? {};
    equal(attempts, 3, "the attempts of the event");
    const [start = 0, first = 0, , before = 0, last = 0] = times;
    isTrue(
      start <= since && since <= first,
      `The time ${since} of the first attempt must be between ${start} and ${first}`,
    );
    isTrue(before <= at && at <= last, `The time ${at} of the last attempt must be between ${before} and ${last}`);
    equal(await r.audit.settle(0, 10), 0, "number of tallies settled by the second call");
    await tally("fourth");
    await r.audit.settle(0, 10);
    equal(
      rowsOf(await r.audit.read(0, 10), "requestId", "attempts"),
      [
        ["first", 3],
        ["fourth", 1],
      ],
      "the events after a new tally",
    );
  },

  "keeps the tallies of different keys separate": async ({ r }) => {
    const keys = [...hostileTexts, "a", "A", "a ", "x".repeat(200)];
    for (const [index, key] of keys.entries()) {
      for (let count = 0; count <= index % 3; count += 1) await r.audit.append(ofRequest(`${index}`), key);
    }
    equal(await r.audit.settle(0, 100), keys.length, "number of settled tallies");
    const events = rowsOf(await r.audit.read(0, 100), "requestId", "attempts");
    equalInAnyOrder(
      events,
      keys.map((_, index) => [`${index}`, 1 + (index % 3)]),
      "the events",
    );
  },

  "settles old tallies, the oldest first, up to the limit": async ({ r, advance }) => {
    for (const key of ["a", "b", "c"]) {
      await r.audit.append(ofRequest(key), key);
      advance(minute);
    }
    await r.audit.append(ofRequest("again"), "a");
    equal(await r.audit.settle(hour, 10), 0, "number of tallies settled too early");
    equal(await r.audit.settle(2 * minute, 0), 0, "number of tallies settled with a limit of zero");
    equal(await r.audit.settle(2 * minute, 1), 1, "number of tallies settled by the first call");
    equal(await r.audit.settle(2 * minute, 10), 1, "number of tallies settled by the second call");
    equal(
      rowsOf(await r.audit.read(0, 10), "requestId", "attempts"),
      [
        ["a", 2],
        ["b", 1],
      ],
      "the events",
    );
    equal(await r.audit.settle(0, 10), 1, "number of tallies settled regardless of age");
  },

  "converts each tally in one of several concurrent calls": async ({ r }) => {
    for (let key = 0; key < 12; key += 1) await r.audit.append(ofRequest(`request ${key}`), `key ${key}`);
    const settled = await concurrently(6, () => r.audit.settle(0, 100));
    const rest = await r.audit.settle(0, 100);
    const all = settled.reduce((sum, each) => sum + each, rest);
    equal(all, 12, "number of converted tallies in total");
    const requests = pluck(await r.audit.read(0, 100), "requestId");
    equal([requests.length, new Set(requests).size], [12, 12], "numbers of events and of different ones");
  },

  "counts every concurrent attempt while tallies are settled": async ({ r }) => {
    await concurrently(60, async (index) => {
      await r.audit.append(auditEvent, `key ${index % 3}`);
      if (index % 5 === 0) await r.audit.settle(0, 10);
    });
    await r.audit.settle(0, 10);
    const events = await r.audit.read(0, 1_000);
    equal(
      events.reduce((sum, { attempts }) => sum + attempts, 0),
      60,
      "number of counted attempts",
    );
  },
});

const sweepChecks = checksOf("audit", {
  "deletes old events, the oldest first, up to the limit": async ({ r, advance }) => {
    for (const name of ["1", "2", "3", "4", "5"]) await r.audit.append(ofRequest(name));
    advance(2 * hour);
    for (const name of ["6", "7"]) await r.audit.append(ofRequest(name));
    const left = async () => pluck(await r.audit.read(0, 10), "requestId");
    equal(
      [await r.audit.sweep(3 * hour, 10), await r.audit.sweep(hour, 0)],
      [0, 0],
      "number of events deleted too early or with a limit of zero",
    );
    equal(await r.audit.sweep(hour, 3), 3, "number of events deleted by the first sweep");
    equal(await left(), ["4", "5", "6", "7"], "the remaining events");
    equal(await r.audit.sweep(hour, 3), 2, "number of events deleted by the second sweep");
    equal(await r.audit.sweep(hour, 3), 0, "number of events deleted by the third sweep");
    equal(await left(), ["6", "7"], "the remaining events after all sweeps");
  },

  "never reuses a sequence after all events are deleted": async ({ r }) => {
    await r.audit.append(auditEvent);
    const [before] = await r.audit.read(0, 10);
    equal(await r.audit.sweep(0, 10), 1, "number of deleted events");
    await r.audit.append(ofRequest("next"));
    const after = await r.audit.read(before?.sequence ?? 0, 10);
    equal(pluck(after, "requestId"), ["next"], "the events after the deletion");
  },
});

export const auditChecks: readonly Check[] = [...eventChecks, ...tallyChecks, ...sweepChecks];
