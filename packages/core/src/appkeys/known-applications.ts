import type { ApplicationRepository } from "./application-repository.ts";

/** The app names that a database is known to have: one that was found once stays, as nothing removes app names. */
export class KnownApplications {
  private readonly names = new Set<string>();

  /** Whether all of the names exist; those that are not known yet are looked up. */
  async includes(names: readonly string[], applications: ApplicationRepository): Promise<boolean> {
    const unknown = names.filter((name) => !this.names.has(name));
    if (unknown.length === 0) return true;
    for (const name of await applications.known(unknown)) this.names.add(name);
    return unknown.every((name) => this.names.has(name));
  }
}
