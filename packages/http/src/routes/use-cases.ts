import type * as core from "@sallyport/core";

/** The use cases of the routes. The composition root creates them. */
export interface UseCases {
  readonly requestPasswordReset: core.RequestPasswordReset;
  readonly changePassword: core.ChangePassword;
  readonly confirmCustomPassword: core.ConfirmCustomPassword;
  readonly confirmReset: core.ConfirmReset;
  readonly confirmSecondFactor: core.ConfirmSecondFactor;
  readonly createObject: core.CreateObject;
  readonly deleteObject: core.DeleteObject;
  readonly enrolSecondFactor: core.EnrolSecondFactor;
  readonly executeMacro: core.ExecuteMacro;
  readonly finishProviderLogIn: core.FinishProviderLogIn;
  readonly getLock: core.GetLock;
  readonly getObject: core.GetObject;
  readonly getReaders: core.GetReaders;
  readonly keyRings: core.KeyRings;
  readonly listExecutableMacros: core.ListExecutableMacros;
  readonly listObjects: core.ListObjects;
  readonly listOwnLinks: core.ListOwnLinks;
  readonly listReadableClasses: core.ListReadableClasses;
  readonly listRecycled: core.ListRecycled;
  readonly lockObject: core.LockObject;
  readonly logIn: core.LogIn;
  readonly logInCustomUser: core.LogInCustomUser;
  readonly logInAndLink: core.LogInAndLink;
  readonly logInMessages: core.LogInMessages;
  readonly logInSecurely: core.LogInSecurely;
  readonly logInWithToken: core.LogInWithToken;
  readonly logOut: core.LogOut;
  readonly objectHooks: core.ObjectHooks;
  readonly purgeRecycled: core.PurgeRecycled;
  readonly putClass: core.PutClass;
  readonly readSecondFactor: core.ReadSecondFactor;
  readonly readStructure: core.ReadStructure;
  readonly removeClass: core.RemoveClass;
  readonly removeOwnLinks: core.RemoveOwnLinks;
  readonly removeSecondFactor: core.RemoveSecondFactor;
  readonly restoreObject: core.RestoreObject;
  readonly setReaders: core.SetReaders;
  readonly startProviderLogIn: core.StartProviderLogIn;
  readonly exchangeReturnCode: core.ExchangeReturnCode;
  readonly unlockObject: core.UnlockObject;
  readonly updateObject: core.UpdateObject;
  readonly updateObjects: core.UpdateObjects;
  readonly validateSecondFactor: core.ValidateSecondFactor;
}
