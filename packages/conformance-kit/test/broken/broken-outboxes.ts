import { type OutboxRepository, ServiceError } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const ordered = "gives out what was put in first first, as many as are asked for";
const leased = "gives a claimed order to nobody else before its lease is over";
const lost = "lets nobody finish an order who has lost it";
const bounded = "takes no more than may wait, those that are worth nothing not counted";
const worthless = "neither gives out nor counts what is worth nothing any more, and forgets it when it is swept";
const counted = "counts what waits, and for how long the longest has";
const stuck = "tells for how long the transport has kept an order, until something else does or it is done with";
const exchanged = "puts another order in the place of a claimed one, whose claim goes on";
const postponed = "makes an order due again when its delay is over, and others at their time";

type Fault = (outbox: OutboxRepository) => Partial<OutboxRepository>;

function brokenOutbox(fault: string, caughtBy: string | readonly string[], makeFault: Fault): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({ outbox: makeFault(r.outbox) }));
}

/** Faults in the outbox. */
export const brokenOutboxes: readonly BrokenAdapter[] = [
  brokenOutbox("forgets an order when it is claimed", "holds an order until it is done with", (outbox) => ({
    claim: async (limit, lease) => {
      const entries = await outbox.claim(limit, lease);
      for (const { id, attempts } of entries) await outbox.done(id, attempts);
      return entries;
    },
  })),

  brokenOutbox("is done with whatever it is asked", ["holds an order until it is done with", lost], (outbox) => ({
    done: async (id, attempts) => {
      await outbox.done(id, attempts);
      return true;
    },
  })),

  brokenOutbox("trims what is put in", "keeps hostile texts as they are", (outbox) => ({
    put: (order, options) => outbox.put(order.trim(), options),
  })),

  brokenOutbox(
    "puts a sign in the place of what cannot be stored",
    "refuses texts that cannot be stored with 307",
    (outbox) => ({
      replace: (id, attempts, order) => outbox.replace(id, attempts, order.replaceAll(/[\0\ud800-\udfff]/g, "?")),
    }),
  ),

  broken("does not count what is claimed", "holds an order until it is done with", () => {
    const claimed = new Set<number>();
    return ({ outbox }) => ({
      outbox: {
        claim: async (limit, lease) => {
          const entries = await outbox.claim(limit, lease);
          for (const { id } of entries) claimed.add(id);
          return entries;
        },
        waiting: async () => {
          const { count, ...times } = await outbox.waiting();
          return { ...times, count: Math.max(0, count - claimed.size) };
        },
      },
    });
  }),

  brokenOutbox("counts the time of the latest", counted, (outbox) => ({
    waiting: async () => ({ ...(await outbox.waiting()), oldest: 5 * 60_000 }),
  })),

  brokenOutbox("tells the age in seconds", counted, (outbox) => ({
    claim: async (limit, lease) =>
      (await outbox.claim(limit, lease)).map((entry) => ({ ...entry, age: entry.age / 1_000 })),
  })),

  brokenOutbox("keeps orders for ever", [worthless, bounded], (outbox) => ({
    put: (order, options) => outbox.put(order, { ...options, lifetime: 1e12 }),
  })),

  brokenOutbox("sweeps everything at once", worthless, (outbox) => ({ sweep: () => outbox.sweep(1_000) })),

  brokenOutbox(
    "takes whatever comes",
    [bounded, "takes no more than may wait of those that come at once"],
    (outbox) => ({
      put: (order, options) => outbox.put(order, { ...options, limit: 1_000 }),
    }),
  ),

  brokenOutbox(
    "counts first and puts in later",
    "takes no more than may wait of those that come at once",
    (outbox) => ({
      put: async (order, { lifetime, limit }) => {
        const { count } = await outbox.waiting();
        if (count >= limit) throw new ServiceError(706);
        await pause();
        await outbox.put(order, { lifetime, limit: 1_000 });
      },
    }),
  ),

  broken("counts what transactions put in that fail", ["is changed by transactions as a whole, or not at all"], () => {
    let outside: OutboxRepository | undefined;
    let undone = 0;
    return ({ outbox }) => {
      const isInside = outbox !== (outside ??= outbox);
      return {
        outbox: {
          put: async (order, options) => {
            await outbox.put(order, options);
            if (isInside) undone += 1;
          },
          waiting: async () => {
            const { count, ...times } = await outbox.waiting();
            return { ...times, count: isInside ? count : count + undone };
          },
        },
      };
    };
  }),

  broken(
    "bounds what it has taken itself, whatever became of it",
    "takes no more than may wait when one was put in meanwhile",
    () => {
      let taken = 0;
      return ({ outbox }) => ({
        outbox: {
          put: async (order, options) => {
            taken += 1;
            if (taken > options.limit) throw new ServiceError(706);
            await outbox.put(order, options);
          },
        },
      });
    },
  ),

  brokenOutbox("gives out the latest first", ordered, (outbox) => ({
    claim: async (limit, lease) => (await outbox.claim(limit, lease)).toReversed(),
  })),

  brokenOutbox("gives out one at a time", ordered, (outbox) => ({ claim: (_limit, lease) => outbox.claim(1, lease) })),

  brokenOutbox("gives out whatever is there", ordered, (outbox) => ({
    claim: (_limit, lease) => outbox.claim(1_000, lease),
  })),

  brokenOutbox("does not keep a lease", [leased, "gives each order to one of those who claim at once"], (outbox) => ({
    claim: (limit) => outbox.claim(limit, 0),
  })),

  brokenOutbox("keeps a lease for ever", leased, (outbox) => ({ claim: (limit) => outbox.claim(limit, 1e12) })),

  broken("counts attempts by itself", lost, () => {
    const latest = new Map<number, number>();
    return ({ outbox }) => ({
      outbox: {
        claim: async (limit, lease) => {
          const entries = await outbox.claim(limit, lease);
          for (const { id, attempts } of entries) latest.set(id, attempts);
          return entries;
        },
        done: (id) => outbox.done(id, latest.get(id) ?? 0),
      },
    });
  }),

  broken("lets whoever has lost an order replace it", lost, () => {
    const latest = new Map<number, number>();
    return ({ outbox }) => ({
      outbox: {
        claim: async (limit, lease) => {
          const entries = await outbox.claim(limit, lease);
          for (const { id, attempts } of entries) latest.set(id, attempts);
          return entries;
        },
        replace: (id, _attempts, order) => outbox.replace(id, latest.get(id) ?? 0, order),
      },
    });
  }),

  brokenOutbox(
    "lets nobody finish an order who is late",
    "lets whoever was late finish an order that nobody has claimed since",
    (outbox) => ({
      done: async (id, attempts) => {
        const overdue = await outbox.claim(1_000, 0);
        return !overdue.some((entry) => entry.id === id) && (await outbox.done(id, attempts));
      },
    }),
  ),

  brokenOutbox("postpones everything by a minute", postponed, (outbox) => ({
    postpone: (id, attempts, _delay, blame) => outbox.postpone(id, attempts, 60_000, blame),
  })),

  brokenOutbox("makes due at once what was postponed", postponed, (outbox) => ({
    postpone: (id, attempts, _delay, blame) => outbox.postpone(id, attempts, 0, blame),
  })),

  brokenOutbox("blames the transport for everything", stuck, (outbox) => ({
    postpone: (id, attempts, delay) => outbox.postpone(id, attempts, delay, "transport"),
  })),

  brokenOutbox("forgets since when it is stuck with every claim", stuck, (outbox) => ({
    claim: async (limit, lease) => {
      const entries = await outbox.claim(limit, lease);
      for (const { id, attempts } of entries) await outbox.postpone(id, attempts, lease, "order");
      return entries;
    },
  })),

  brokenOutbox("takes a replaced order for a new one", exchanged, (outbox) => ({
    replace: async (id, attempts, order) => {
      if (!(await outbox.done(id, attempts))) return false;
      await outbox.put(order, { lifetime: 3_600_000, limit: 1_000 });
      return true;
    },
  })),

  broken("says that nothing was replaced when it was the same", exchanged, () => {
    const latest = new Map<number, string>();
    return ({ outbox }) => ({
      outbox: {
        replace: async (id, attempts, order) => {
          const same = latest.get(id) === order;
          latest.set(id, order);
          return (await outbox.replace(id, attempts, order)) && !same;
        },
      },
    });
  }),

  broken(
    "remembers what transactions claimed that failed",
    "gives out an order again whose claim was taken back",
    () => {
      const claimed = new Set<number>();
      return ({ outbox }) => ({
        outbox: {
          claim: async (limit, lease) => {
            const entries = (await outbox.claim(limit, lease)).filter(({ id }) => !claimed.has(id));
            for (const { id } of entries) claimed.add(id);
            return entries;
          },
        },
      });
    },
  ),
];
