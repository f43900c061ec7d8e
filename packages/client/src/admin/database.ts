import type {
  AdministeredKeyData,
  AdministeredLinkData,
  AdministeredMacroData,
  AdministeredProviderData,
  AuditEventData,
  ClassRightsData,
  ExplanationData,
  FindingData,
  LimitsChangeData,
  LimitsData,
  MacroVersionData,
  MaintenanceData,
  MaintenanceRequestData,
  ProviderRequestData,
  ProviderTypeData,
  RotatedKeyData,
  WaitingMailData,
} from "@sallyport/contract";
import type { CallLimits } from "../transport/deadline.ts";
import type { ConditionOptions } from "../version.ts";
import { type AdminCalls, type ChangeOptions, type Page, type PageOptions, paged } from "./admin-calls.ts";
import type { OfUserOptions } from "./applications.ts";

interface Items<Item> {
  readonly items: readonly Item[];
}

export interface AuditOptions extends PageOptions {
  /** Such as `login.refused`. */
  readonly type?: string | undefined;
  /** Id of the acting user. */
  readonly actor?: string | undefined;
  /** Id of the affected user. */
  readonly subject?: string | undefined;
  /** Includes events at this time. */
  readonly since?: Date | undefined;
  /** Excludes events at this time. */
  readonly until?: Date | undefined;
}

/** The audit. */
export class Audit {
  constructor(private readonly calls: AdminCalls) {}

  /** A page of events, the oldest first. With conditions a page can be short or empty before `next` is `null`. */
  read({ type, actor, subject, since, until, ...options }: AuditOptions = {}): Promise<Page<AuditEventData>> {
    const times = { since: since?.toISOString(), until: until?.toISOString() };
    return this.calls.send(
      "GET /admin/v1/audit",
      paged(options, { type: type as AuditEventData["type"] | undefined, actor, subject, ...times }),
    );
  }
}

/** Explanations of refused requests. */
export class Refusals {
  constructor(private readonly calls: AdminCalls) {}

  /** Explains a refusal by the `X-Request-Id` of its response. 304 if there is no explanation. */
  explain(requestId: string, limits: CallLimits = {}): Promise<ExplanationData> {
    return this.calls.send("GET /admin/v1/refusals/{requestId}", { ...limits, path: { requestId } });
  }
}

/** Registered identity providers. */
export class Providers {
  constructor(private readonly calls: AdminCalls) {}

  async list(limits: CallLimits = {}): Promise<readonly AdministeredProviderData[]> {
    return (await this.calls.send("GET /admin/v1/providers", limits)).items;
  }

  /** The types that the server supports, with the callback addresses to register. */
  async types(limits: CallLimits = {}): Promise<readonly ProviderTypeData[]> {
    return (await this.calls.send("GET /admin/v1/providers", limits)).types;
  }

  /** Rejects unless the provider is reachable and, where it can tell, accepts the client. */
  async check(type: string, limits: CallLimits = {}): Promise<void> {
    await this.calls.send("GET /admin/v1/providers/{type}/check", { ...limits, path: { type } });
  }

  get(type: string, limits: CallLimits = {}): Promise<AdministeredProviderData> {
    return this.calls.send("GET /admin/v1/providers/{type}", { ...limits, path: { type } });
  }

  /** Registers a provider. A registered one needs `ifMatch`. Needs a recent proof. */
  put(
    type: string,
    provider: ProviderRequestData,
    options: CallLimits & ConditionOptions = {},
  ): Promise<AdministeredProviderData> {
    return this.calls.send("PUT /admin/v1/providers/{type}", { ...options, path: { type }, body: provider });
  }

  /** Needs a recent proof. */
  async remove(type: string, options: ChangeOptions): Promise<void> {
    await this.calls.send("DELETE /admin/v1/providers/{type}", { ...options, path: { type } });
  }
}

/** Linked provider accounts. */
export class Links {
  constructor(private readonly calls: AdminCalls) {}

  list({ user, ...options }: OfUserOptions = {}): Promise<Page<AdministeredLinkData>> {
    return this.calls.send("GET /admin/v1/links", paged(options, { user }));
  }

  /** Needs a recent proof. */
  async remove(linkId: string, limits: CallLimits = {}): Promise<void> {
    await this.calls.send("DELETE /admin/v1/links/{linkId}", { ...limits, path: { linkId } });
  }
}

/** Rights of the classes. */
export class Classes {
  constructor(private readonly calls: AdminCalls) {}

  /** All classes. Pass the result as `ifMatch`. */
  list(limits: CallLimits = {}): Promise<Items<ClassRightsData>> {
    return this.calls.send("GET /admin/v1/classes", limits);
  }

  /** Replaces the rights of a class. Needs a recent proof. */
  setRights(name: string, rights: ClassRightsData["rights"], options: ChangeOptions): Promise<ClassRightsData> {
    return this.calls.send("PUT /admin/v1/classes/{className}/rights", {
      ...options,
      path: { className: name },
      body: { rights },
    });
  }
}

/** Keys of the database. */
export class Keys {
  constructor(private readonly calls: AdminCalls) {}

  async list(limits: CallLimits = {}): Promise<readonly AdministeredKeyData[]> {
    return (await this.calls.send("GET /admin/v1/keys", limits)).items;
  }

  /** Replaces the current key. Needs a recent proof. */
  rotate(kind: "rsa" | "jwt", limits: CallLimits = {}): Promise<RotatedKeyData> {
    return this.calls.send("POST /admin/v1/keys/{kind}/rotate", { ...limits, path: { kind } });
  }
}

/** The examination of the database. */
export class Examination {
  constructor(private readonly calls: AdminCalls) {}

  /** Examines the database. Changes nothing. */
  async run(limits: CallLimits = {}): Promise<readonly FindingData[]> {
    return (await this.calls.send("GET /admin/v1/examination", limits)).items;
  }
}

/** The outbox of mail. */
export class Mail {
  constructor(private readonly calls: AdminCalls) {}

  waiting(limits: CallLimits = {}): Promise<WaitingMailData> {
    return this.calls.send("GET /admin/v1/mail", limits);
  }
}

/** Macros and hooks, read-only. */
export class Macros {
  constructor(private readonly calls: AdminCalls) {}

  async list(limits: CallLimits = {}): Promise<readonly AdministeredMacroData[]> {
    return (await this.calls.send("GET /admin/v1/macros", limits)).items;
  }

  /** Versions of a macro in the database, the latest first. */
  history(name: string, options: PageOptions = {}): Promise<Page<MacroVersionData>> {
    return this.calls.send("GET /admin/v1/macros/{macroName}/history", {
      ...paged(options),
      path: { macroName: name },
    });
  }
}

/** Maintenance of the database. */
export class Maintenance {
  constructor(private readonly calls: AdminCalls) {}

  get(limits: CallLimits = {}): Promise<MaintenanceData> {
    return this.calls.send("GET /admin/v1/maintenance", limits);
  }

  /** Begins, changes or ends the maintenance. */
  set(maintenance: MaintenanceRequestData, options: ChangeOptions): Promise<MaintenanceData> {
    return this.calls.send("PUT /admin/v1/maintenance", { ...options, body: maintenance });
  }
}

/** Limits of sessions and request rates. */
export class Limits {
  constructor(private readonly calls: AdminCalls) {}

  get(limits: CallLimits = {}): Promise<LimitsData> {
    return this.calls.send("GET /admin/v1/limits", limits);
  }

  /** Sets limits by name; `null` returns to the configuration. Needs a recent proof. */
  change(values: LimitsChangeData, options: ChangeOptions): Promise<LimitsData> {
    return this.calls.send("PATCH /admin/v1/limits", { ...options, body: values });
  }
}
