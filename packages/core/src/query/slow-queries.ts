/** A query that was asked of storage, and how long that took. */
export interface TimedQuery {
  readonly requestId: string;
  /** Alias of the database. */
  readonly alias: string;
  /** The class whose objects were asked for. */
  readonly className: string;
  readonly milliseconds: number;
  /** The attributes, as `Class.Attribute`, that it filters and sorts by and that could have an index but have none. */
  readonly unindexed: () => readonly string[];
}

/** Port: whoever wants to know which queries are slow. Told about each of them, also about those that failed. */
export interface SlowQueries {
  took(query: TimedQuery): void;
}
