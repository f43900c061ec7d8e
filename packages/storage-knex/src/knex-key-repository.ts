import {
  type KeyRepository,
  type ServerKeyKind,
  ServiceError,
  type StoredKey,
  type WrappedKeyPair,
} from "@sallyport/core";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export class KnexKeyRepository implements KeyRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: KeyStatements,
    private readonly offset: () => number,
  ) {}

  async current(kind: ServerKeyKind): Promise<StoredKey | null> {
    const { rows } = await this.sql.run<KeyRow>(this.statements.current, [kind]);
    return rows[0] === undefined ? null : keyOf(rows[0]);
  }

  async accepted(kind: ServerKeyKind): Promise<StoredKey[]> {
    const { rows } = await this.sql.run<KeyRow>(this.statements.accepted, [kind, this.offset()]);
    return rows.map(keyOf);
  }

  async kept(kind: ServerKeyKind): Promise<StoredKey[]> {
    const { rows } = await this.sql.run<KeyRow>(this.statements.kept, [kind, this.offset()]);
    return rows.map(keyOf);
  }

  async addFirst(key: WrappedKeyPair): Promise<StoredKey> {
    await this.sql.run(this.statements.addFirst, this.valuesOf(key));
    // Once there is a current key there always is one.
    const current = await this.current(key.kind);
    if (current === null) throw new ServiceError(799, { detail: "A first key was added and is not there." });
    return current;
  }

  async rotate(expectedKeyId: string, key: WrappedKeyPair, overlap: number): Promise<"ok" | "stale" | "known"> {
    const { rowCount } = await this.sql.run(this.statements.rotate, [...this.valuesOf(key), expectedKeyId, overlap]);
    if (rowCount === 1) return "ok";
    return (await this.current(key.kind))?.keyId === expectedKeyId ? "known" : "stale";
  }

  async sweep(age: number, limit: number): Promise<number> {
    const { rowCount } = await this.sql.run(this.statements.sweep, [age, limit, this.offset()]);
    return rowCount;
  }

  private valuesOf({ kind, keyId, publicKey, wrappedPrivateKey }: WrappedKeyPair): SqlValue[] {
    return [kind, keyId, publicKey, wrappedPrivateKey, this.offset()];
  }
}

function keyOf(row: KeyRow): StoredKey {
  return {
    kind: row.kind,
    keyId: row.key_id,
    publicKey: row.public_key,
    wrappedPrivateKey: row.wrapped_private_key,
    createdAt: Number(row.created_at),
    acceptedUntil: row.accepted_until === null ? null : Number(row.accepted_until),
  };
}

export interface KeyStatements {
  /** 1 kind. */
  readonly current: Statement;
  /** 1 kind, 2 offset of the clock. */
  readonly accepted: Statement;
  /** 1 kind, 2 offset of the clock. */
  readonly kept: Statement;
  /** 1 kind, 2 id, 3 public key, 4 wrapped private key, 5 offset of the clock. */
  readonly addFirst: Statement;
  /** The same, and 6 expected id, 7 overlap. Adds a row, or nothing. */
  readonly rotate: Statement;
  /** 1 least age, 2 limit, 3 offset of the clock. */
  readonly sweep: Statement;
}

interface KeyRow {
  readonly kind: ServerKeyKind;
  readonly key_id: string;
  readonly public_key: string;
  readonly wrapped_private_key: string;
  readonly created_at: string;
  readonly accepted_until: string | null;
}
