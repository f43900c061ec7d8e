import {
  acceptStorable,
  type Application,
  type ApplicationRepository,
  type NewApplication,
  type SecondFactorRule,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy, partByName } from "./table.ts";

export class MemoryApplicationRepository implements ApplicationRepository {
  constructor(private readonly access: Access) {}

  async create({ name, seats, secondFactor = "off" }: NewApplication): Promise<"created" | "nameTaken"> {
    acceptStorable(name);
    return this.access.write(({ applications }) => {
      if (applications.has(name)) return "nameTaken";
      applications.set(name, frozenCopy({ name, seats, secondFactor }));
      return "created";
    });
  }

  known(names: readonly string[]): Promise<string[]> {
    const asked = [...new Set(names)];
    return this.access.read(({ applications }) => asked.filter((name) => applications.has(name)));
  }

  askingForFactors(names: readonly string[]): Promise<Pick<Application, "name" | "secondFactor">[]> {
    const asked = [...new Set(names)];
    return this.access.read(({ applications }) =>
      asked.flatMap((name) => {
        const secondFactor = applications.get(name)?.secondFactor ?? "off";
        return secondFactor === "off" ? [] : [{ name, secondFactor }];
      }),
    );
  }

  setSecondFactor(name: string, secondFactor: SecondFactorRule): Promise<boolean> {
    return this.access.write(({ applications }) => {
      const application = applications.get(name);
      if (application !== undefined) applications.set(name, frozenCopy({ ...application, secondFactor }));
      return application !== undefined;
    });
  }

  list(after: string | null, limit: number): Promise<Application[]> {
    return this.access.read(({ applications }) => partByName(applications.values(), ({ name }) => name, after, limit));
  }
}
