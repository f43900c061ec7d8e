import type { PasswordHasher } from "@sallyport/core";

/** Counts the work that a password hasher has in hand. */
export class CountedPasswordHasher implements PasswordHasher {
  private inHand = 0;

  constructor(private readonly hasher: PasswordHasher) {}

  /** Passwords being hashed or waiting for it. */
  get pending(): number {
    return this.inHand;
  }

  hash(password: string): Promise<string> {
    return this.counted(() => this.hasher.hash(password));
  }

  verify(encoded: string | null, password: string, decoy: string | null): Promise<boolean> {
    return this.counted(() => this.hasher.verify(encoded, password, decoy));
  }

  isOutdated(encoded: string): boolean {
    return this.hasher.isOutdated(encoded);
  }

  private async counted<T>(work: () => Promise<T>): Promise<T> {
    this.inHand += 1;
    try {
      return await work();
    } finally {
      this.inHand -= 1;
    }
  }
}
