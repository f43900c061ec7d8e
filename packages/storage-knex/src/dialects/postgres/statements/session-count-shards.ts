/** Rows that share the counting of sessions, so that log-ins and log-outs on different connections do not wait for one another. */
export const sessionCountShards = 64;
