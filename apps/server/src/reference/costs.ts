/** What one request costs in steady use. */
export interface Cost {
  readonly statements: number;
  /** Round trips to a PostgreSQL server. The embedded engine runs statements one by one. */
  readonly roundTrips: number;
  /** Statements that the database plans for this request alone. */
  readonly plans: number;
  /** Rows that the database reads from tables. */
  readonly rowsRead: number;
  /** Bytes of the write-ahead log. They vary by a tenth. */
  readonly walBytes: number;
  readonly fsyncs: number;
  readonly rsaOperations: number;
  /**
   * Thousands of bytes that JavaScript allocates with PostgreSQL, beyond those of an empty response of Node. They vary by a
   * quarter between versions of Node.
   */
  readonly kilobytes?: number;
}

export interface OperationCost extends Cost {
  /** What the request does, if the operation can cost something else. */
  readonly request?: string;
}

const nothing: Cost = {
  statements: 0,
  roundTrips: 0,
  plans: 0,
  rowsRead: 0,
  walBytes: 0,
  fsyncs: 0,
  rsaOperations: 0,
};

/**
 * The costs of operations, by method and path. Tests compare them with counts (`apps/server/test/costs`), and the
 * reference prints them.
 */
export const costs = {
  "GET /_CheckSession": { ...nothing, statements: 1, roundTrips: 1, rowsRead: 5, kilobytes: 45 },
  "GET /v1/object/{idOrClass}": { ...nothing, statements: 2, roundTrips: 2, rowsRead: 6, kilobytes: 78 },
  "GET /v1/objects/{className}": {
    ...nothing,
    request: "a list of 100",
    statements: 3,
    roundTrips: 3,
    rowsRead: 113,
    kilobytes: 530,
  },
  "POST /v1/object/{idOrClass}": {
    ...nothing,
    statements: 2,
    roundTrips: 2,
    rowsRead: 7,
    walBytes: 810,
    fsyncs: 1,
    kilobytes: 95,
  },
  "POST /v1/objects/{className}": {
    ...nothing,
    request: "a request that creates ten",
    statements: 2,
    roundTrips: 2,
    rowsRead: 7,
    walBytes: 7_100,
    fsyncs: 1,
  },
  "PATCH /v1/object/{idOrClass}": {
    ...nothing,
    statements: 2,
    roundTrips: 2,
    rowsRead: 7,
    walBytes: 800,
    fsyncs: 1,
    kilobytes: 95,
  },
  "DELETE /v1/object/{idOrClass}": {
    ...nothing,
    statements: 8,
    roundTrips: 6,
    rowsRead: 12,
    walBytes: 790,
    fsyncs: 1,
  },
  "POST /v1/login": { ...nothing, statements: 7, roundTrips: 5, rowsRead: 77, walBytes: 930, fsyncs: 1 },
  "POST /v2/login": { ...nothing, statements: 8, roundTrips: 6, rowsRead: 78, walBytes: 950, fsyncs: 1 },
  "POST /v2/login/secure": {
    ...nothing,
    statements: 9,
    roundTrips: 7,
    rowsRead: 79,
    walBytes: 1_980,
    fsyncs: 2,
    rsaOperations: 7,
  },
  "GET /v1/{providerName}/callback": {
    ...nothing,
    request: "a log-in of a linked user",
    statements: 8,
    roundTrips: 5,
    rowsRead: 79,
    walBytes: 1_360,
    fsyncs: 2,
  },
  "POST /v1/logout": { ...nothing, statements: 5, roundTrips: 4, rowsRead: 70, walBytes: 560, fsyncs: 1 },
  "POST /v1/sync/{schema}/push": {
    ...nothing,
    request: "a push of one new object",
    statements: 10,
    roundTrips: 9,
    rowsRead: 44,
    walBytes: 980,
    fsyncs: 1,
  },
  "POST /v1/sync/{schema}": {
    ...nothing,
    request: "a pull of one change",
    statements: 5,
    roundTrips: 5,
    rowsRead: 28,
  },
  "POST /v1/execute/{macroName}": {
    ...nothing,
    request: "a macro without calls",
    statements: 1,
    roundTrips: 1,
    rowsRead: 5,
  },
  "POST /v1/uploadFile": {
    ...nothing,
    request: "an upload of 1 MiB",
    statements: 14,
    roundTrips: 13,
    rowsRead: 19,
    walBytes: 3_000,
    fsyncs: 2,
  },
} satisfies Readonly<Record<string, OperationCost>>;

/** The explanation on a page with costs. */
export const costNote =
  "The **cost** of an operation is that of one request in steady use, and tests hold it: statements and round trips to PostgreSQL, and on the embedded engine plans, rows, bytes of the write-ahead log and writes to disk. Bytes vary by a tenth, and allocated memory, which frequent operations name, by a quarter between versions of Node. Other counts that are missing are zero.";

/** The cost of the operation of this method and path, in a sentence. */
export function costText(title: string): string | undefined {
  const cost = new Map<string, OperationCost>(Object.entries(costs)).get(title);
  if (cost === undefined) return undefined;
  const { request, statements, roundTrips, plans, rowsRead, walBytes, fsyncs, rsaOperations, kilobytes } = cost;
  const counted = (count: number, one: string, many = `${one}s`) =>
    `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
  const parts = [
    `${counted(statements, "statement")} in ${counted(roundTrips, "round trip")}`,
    plans > 0 && counted(plans, "plan"),
    rowsRead > 0 && `${counted(rowsRead, "row")} read`,
    walBytes > 0 && `${counted(walBytes, "byte")} of WAL`,
    fsyncs > 0 && counted(fsyncs, "fsync"),
    rsaOperations > 0 && counted(rsaOperations, "RSA operation"),
    kilobytes !== undefined && `${kilobytes} kB of memory allocated`,
  ].filter((part) => part !== false);
  return `**Cost${request === undefined ? "" : ` of ${request}`}:** ${parts.join(", ")}.`;
}
