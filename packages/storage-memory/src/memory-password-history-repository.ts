import { acceptStorable, type PasswordHistoryRepository } from "@sallyport/core";
import type { Access } from "./access.ts";

export class MemoryPasswordHistoryRepository implements PasswordHistoryRepository {
  constructor(private readonly access: Access) {}

  latest(subject: string, limit: number): Promise<string[]> {
    return this.access.read(({ passwordHistory }) => (passwordHistory.get(subject) ?? []).toReversed().slice(0, limit));
  }

  async add(subject: string, secret: string, keep: number): Promise<void> {
    acceptStorable([subject, secret]);
    return this.access.write(({ passwordHistory }) => {
      const all = [...(passwordHistory.get(subject) ?? []), secret];
      passwordHistory.set(subject, Object.freeze(all.slice(Math.max(0, all.length - keep))));
    });
  }
}
