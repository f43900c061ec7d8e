/** What a model may hold. All of it is in the memory of every process, and every write looks at all indexes. */
export const definitionLimits = {
  classes: 1_000,
  /** Classes from the outermost base to a class. */
  depth: 20,
  /** Attributes of a class with the inherited ones; no body of a request can have more members. */
  attributes: 500,
  /** Groups with rights on a class. */
  rights: 500,
  /** Groups that may read one attribute. */
  readers: 50,
  /** Indexed attributes, counted once for each class that has them. */
  indexes: 200,
} as const;
