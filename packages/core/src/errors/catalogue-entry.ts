/** One kind of failure, as the client sees it and as the reference documents it. */
export interface CatalogueEntry {
  /** `status.internalStatus` of the answer, as a number. */
  readonly code: number;
  /** HTTP status; a code never appears with two. */
  readonly status: number;
  /** `status.statusMessage` of the answer. */
  readonly name: string;
  /** When it is answered, in one sentence of Markdown. */
  readonly condition: string;
}
