import type { Application, ApplicationRepository } from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./frozen-copy.ts";

export class MemoryApplicationRepository implements ApplicationRepository {
  constructor(private readonly access: Access) {}

  create({ name, seats }: Application): Promise<"created" | "nameTaken"> {
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
}
