/** An object as statements give it, see `objectOf`. */
export interface ObjectRow {
  readonly oid: string;
  readonly uuid: string;
  readonly class: string;
  readonly version: number;
  readonly stored_at: string;
  readonly readers: number[] | null;
  readonly attributes: { readonly [name: string]: never };
}
