import type {
  AskForReset,
  ChangePassword,
  ConfirmCustomPassword,
  ConfirmReset,
  ConfirmSecondFactor,
  EnrolSecondFactor,
  ReadSecondFactor,
  RemoveSecondFactor,
  ValidateSecondFactor,
  CreateObject,
  DeleteObject,
  ExecuteMacro,
  FinishProviderLogIn,
  GetLock,
  GetObject,
  GetReaders,
  KeyRings,
  ListObjects,
  ListOwnLinks,
  ListExecutableMacros,
  ListReadableClasses,
  ListRecycled,
  LockObject,
  LogIn,
  LogInCustomUser,
  LogInLinking,
  LogInMessages,
  LogInSecurely,
  LogInWithToken,
  LogOut,
  ObjectHooks,
  PurgeRecycled,
  RestoreObject,
  SetReaders,
  UnlockObject,
  UpdateObject,
  UpdateObjects,
  PutClass,
  ReadStructure,
  RemoveClass,
  RemoveOwnLinks,
  StartProviderLogIn,
  TradeReturnCode,
} from "@sallyport/core";

/** What the routes call; the composition root makes them. */
export interface UseCases {
  readonly logIn: LogIn;
  readonly confirmCustomPassword: ConfirmCustomPassword;
  readonly logInCustomUser: LogInCustomUser;
  readonly logInWithToken: LogInWithToken;
  readonly logInSecurely: LogInSecurely;
  readonly logInMessages: LogInMessages;
  readonly keyRings: KeyRings;
  readonly logOut: LogOut;
  readonly changePassword: ChangePassword;
  readonly askForReset: AskForReset;
  readonly confirmReset: ConfirmReset;
  readonly readSecondFactor: ReadSecondFactor;
  readonly enrolSecondFactor: EnrolSecondFactor;
  readonly confirmSecondFactor: ConfirmSecondFactor;
  readonly removeSecondFactor: RemoveSecondFactor;
  readonly validateSecondFactor: ValidateSecondFactor;
  readonly getObject: GetObject;
  readonly listObjects: ListObjects;
  readonly listExecutableMacros: ListExecutableMacros;
  readonly listReadableClasses: ListReadableClasses;
  readonly createObject: CreateObject;
  readonly updateObject: UpdateObject;
  readonly updateObjects: UpdateObjects;
  readonly deleteObject: DeleteObject;
  readonly restoreObject: RestoreObject;
  readonly getReaders: GetReaders;
  readonly setReaders: SetReaders;
  readonly listRecycled: ListRecycled;
  readonly purgeRecycled: PurgeRecycled;
  readonly getLock: GetLock;
  readonly lockObject: LockObject;
  readonly unlockObject: UnlockObject;
  readonly readStructure: ReadStructure;
  readonly executeMacro: ExecuteMacro;
  readonly putClass: PutClass;
  readonly removeClass: RemoveClass;
  readonly startProviderLogIn: StartProviderLogIn;
  readonly finishProviderLogIn: FinishProviderLogIn;
  readonly tradeReturnCode: TradeReturnCode;
  readonly logInLinking: LogInLinking;
  readonly listOwnLinks: ListOwnLinks;
  readonly removeOwnLinks: RemoveOwnLinks;
  readonly objectHooks: ObjectHooks;
}
