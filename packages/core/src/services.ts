import type {
  ChangePasswordServices,
  ChannelSecrets,
  FactorServices,
  LogInMessages,
  ResetServices,
  Tokens,
} from "./access/index.ts";
import type { DatabaseExaminer } from "./administration/index.ts";
import type { ClassServices } from "./classes/index.ts";
import type { LinkServices, UploadServices } from "./files/index.ts";
import type { ProviderServices, RegistrationServices } from "./identities/index.ts";
import type { KeyRings, KeySupply } from "./keys/index.ts";
import type { PushServices } from "./sync/index.ts";
import type { RepetitionServices } from "./repetition/index.ts";

/** Settings of the server that use cases need. Those of a database are its policy. */
export type Settings = ChangePasswordServices["settings"] &
  ResetServices["settings"] &
  ProviderServices["settings"] &
  RegistrationServices["settings"];

/** All services of use cases. The composition root provides them to each request and command. */
export interface Services
  extends PushServices,
    RepetitionServices,
    UploadServices,
    LinkServices,
    ClassServices,
    FactorServices,
    Omit<ChangePasswordServices, "settings">,
    Omit<ResetServices, "settings">,
    Omit<ProviderServices, "settings">,
    Omit<RegistrationServices, "settings"> {
  readonly settings: Settings;
  readonly channelSecrets: ChannelSecrets;
  readonly databaseExaminer: DatabaseExaminer;
  readonly keyRings: KeyRings;
  readonly keySupply: KeySupply;
  readonly logInMessages: LogInMessages;
  readonly tokens: Tokens;
}
