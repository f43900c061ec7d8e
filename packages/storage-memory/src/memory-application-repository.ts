import { acceptStorable, type Application, type ApplicationRepository } from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { partByName } from "./part-by-name.ts";

export class MemoryApplicationRepository implements ApplicationRepository {
  constructor(private readonly access: Access) {}

  async create({ name, seats }: Application): Promise<"created" | "nameTaken"> {
    acceptStorable(name);
    return this.access.write(({ applications }) => {
      if (applications.has(name)) return "nameTaken";
      applications.set(name, frozenCopy({ name, seats }));
      return "created";
    });
  }

  known(names: readonly string[]): Promise<string[]> {
    const asked = [...new Set(names)];
    return this.access.read(({ applications }) => asked.filter((name) => applications.has(name)));
  }

  list(after: string | null, limit: number): Promise<Application[]> {
    return this.access.read(({ applications }) => partByName(applications.values(), ({ name }) => name, after, limit));
  }
}
