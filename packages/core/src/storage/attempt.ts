/**
 * Does a part of a transaction: if it throws, what it wrote is undone, its error comes out unchanged, and the transaction goes
 * on. A part awaits everything that it asks for, and lets out the errors of calls that fail: one that catches them may succeed
 * with one engine and not with another. Parts nest; they do not overlap. A conflict with another transaction, a lost connection
 * and a call that took too long end the whole transaction, whatever part they happen in: all that is asked for later fails
 * with the same error, and a conflict has the work run again as ever.
 */
export type Attempt = <T>(part: () => Promise<T>) => Promise<T>;
