import { AsyncLocalStorage } from "node:async_hooks";

const offsets = new AsyncLocalStorage<number>();

/** Runs work whose clock differs from that of the machine. Needs `shiftClocks`. */
export function withClock<T>(offset: number, work: () => Promise<T>): Promise<T> {
  return offsets.run(offset, work);
}

/** Makes `Date` follow `withClock`, until the returned function is called. */
export function shiftClocks(): () => void {
  const RealDate = globalThis.Date;
  const now = () => RealDate.now() + (offsets.getStore() ?? 0);
  const ShiftedDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    get: (target, name, receiver) => (name === "now" ? now : (Reflect.get(target, name, receiver) as unknown)),
  });
  globalThis.Date = ShiftedDate;
  return () => {
    if (globalThis.Date !== ShiftedDate) return;
    globalThis.Date = RealDate;
    // Otherwise every promise of the process would still be tracked.
    offsets.disable();
  };
}
