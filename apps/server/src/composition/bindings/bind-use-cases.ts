import { setTimeout as pause } from "node:timers/promises";
import {
  AlignIndexes,
  CreateAccount,
  CreateAppKey,
  CreateApplication,
  CreateObject,
  DeleteObject,
  EnterWithPassword,
  Gate,
  GetLock,
  GetObject,
  GetReaders,
  ListObjects,
  ListExecutableMacros,
  ListReadableClasses,
  ListRecycled,
  LockObject,
  LogIn,
  LogInSecurely,
  LogInWithToken,
  LogOut,
  PurgeRecycled,
  PutClass,
  ReadStructure,
  RemoveClass,
  RestoreObject,
  SerializeOwnUser,
  SetReaders,
  UnlockObject,
  UpdateObject,
  UpdateObjects,
  VerifyPassword,
} from "@sallyport/core";
import type { Container } from "inversify";
import { identifiers } from "../identifiers.ts";

/** What the domain can do. */
export function bindUseCases(container: Container): void {
  const {
    digests,
    random,
    hasher,
    gate,
    verifyPassword,
    serializeOwnUser,
    enterWithPassword,
    tokens,
    channelSecrets,
    objectHooks,
  } = identifiers;
  container
    .bind(gate)
    .toResolvedValue((...parts) => new Gate(...parts, pause), [digests, random, identifiers.checkSecondFactors]);
  container.bind(verifyPassword).toResolvedValue((...parts) => new VerifyPassword(...parts), [hasher, digests]);
  container
    .bind(identifiers.createAccount)
    .toResolvedValue((...parts) => new CreateAccount(...parts), [hasher, digests]);
  container.bind(identifiers.createAppKey).toResolvedValue((...parts) => new CreateAppKey(...parts), [random, digests]);
  container
    .bind(identifiers.createApplication)
    .toResolvedValue((secrets) => new CreateApplication(secrets), [identifiers.factorSecrets]);
  container.bind(serializeOwnUser).toResolvedValue((hooks) => new SerializeOwnUser(hooks), [objectHooks]);
  container
    .bind(enterWithPassword)
    .toResolvedValue((...parts) => new EnterWithPassword(...parts), [gate, verifyPassword, serializeOwnUser]);
  container.bind(identifiers.logIn).toResolvedValue((...parts) => new LogIn(...parts), [enterWithPassword]);
  container
    .bind(identifiers.logInWithToken)
    .toResolvedValue((...parts) => new LogInWithToken(...parts), [enterWithPassword, tokens]);
  container
    .bind(identifiers.logInSecurely)
    .toResolvedValue((...parts) => new LogInSecurely(...parts), [enterWithPassword, channelSecrets, random]);
  container.bind(identifiers.logOut).toDynamicValue(() => new LogOut());
  container.bind(identifiers.getObject).toResolvedValue((hooks) => new GetObject(hooks), [objectHooks]);
  container
    .bind(identifiers.listObjects)
    .toResolvedValue(
      (...parts) => new ListObjects(...parts),
      [digests, identifiers.cursorSealing, identifiers.slowQueries, objectHooks],
    );
  container.bind(identifiers.listExecutableMacros).toDynamicValue(() => new ListExecutableMacros());
  container.bind(identifiers.listReadableClasses).toDynamicValue(() => new ListReadableClasses());
  container.bind(identifiers.createObject).toResolvedValue((hooks) => new CreateObject(hooks), [objectHooks]);
  container.bind(identifiers.updateObject).toResolvedValue((hooks) => new UpdateObject(hooks), [objectHooks]);
  container.bind(identifiers.updateObjects).toResolvedValue((hooks) => new UpdateObjects(hooks), [objectHooks]);
  container.bind(identifiers.deleteObject).toResolvedValue((hooks) => new DeleteObject(hooks), [objectHooks]);
  container.bind(identifiers.restoreObject).toResolvedValue((hooks) => new RestoreObject(hooks), [objectHooks]);
  container.bind(identifiers.getReaders).toDynamicValue(() => new GetReaders());
  container.bind(identifiers.setReaders).toDynamicValue(() => new SetReaders());
  container
    .bind(identifiers.listRecycled)
    .toResolvedValue((cursors) => new ListRecycled(cursors), [identifiers.cursorSealing]);
  container.bind(identifiers.purgeRecycled).toDynamicValue(() => new PurgeRecycled());
  container.bind(identifiers.getLock).toDynamicValue(() => new GetLock());
  container.bind(identifiers.lockObject).toDynamicValue(() => new LockObject());
  container.bind(identifiers.unlockObject).toDynamicValue(() => new UnlockObject());
  container.bind(identifiers.readStructure).toDynamicValue(() => new ReadStructure());
  container.bind(identifiers.putClass).toResolvedValue((keeper) => new PutClass(keeper), [identifiers.indexKeeper]);
  container
    .bind(identifiers.removeClass)
    .toResolvedValue((keeper) => new RemoveClass(keeper), [identifiers.indexKeeper]);
  container.bind(identifiers.alignIndexes).toDynamicValue(() => new AlignIndexes());
  container.bind(identifiers.useCases).toDynamicValue(async ({ getAsync }) => ({
    logIn: await getAsync(identifiers.logIn),
    confirmCustomPassword: await getAsync(identifiers.confirmCustomPassword),
    logInCustomUser: await getAsync(identifiers.logInCustomUser),
    logInWithToken: await getAsync(identifiers.logInWithToken),
    logInSecurely: await getAsync(identifiers.logInSecurely),
    logInMessages: await getAsync(identifiers.logInMessages),
    keyRings: await getAsync(identifiers.keyRings),
    logOut: await getAsync(identifiers.logOut),
    changePassword: await getAsync(identifiers.changePassword),
    askForReset: await getAsync(identifiers.askForReset),
    confirmReset: await getAsync(identifiers.confirmReset),
    readSecondFactor: await getAsync(identifiers.readSecondFactor),
    enrolSecondFactor: await getAsync(identifiers.enrolSecondFactor),
    confirmSecondFactor: await getAsync(identifiers.confirmSecondFactor),
    removeSecondFactor: await getAsync(identifiers.removeSecondFactor),
    validateSecondFactor: await getAsync(identifiers.validateSecondFactor),
    getObject: await getAsync(identifiers.getObject),
    listObjects: await getAsync(identifiers.listObjects),
    listExecutableMacros: await getAsync(identifiers.listExecutableMacros),
    listReadableClasses: await getAsync(identifiers.listReadableClasses),
    createObject: await getAsync(identifiers.createObject),
    updateObject: await getAsync(identifiers.updateObject),
    updateObjects: await getAsync(identifiers.updateObjects),
    deleteObject: await getAsync(identifiers.deleteObject),
    restoreObject: await getAsync(identifiers.restoreObject),
    getReaders: await getAsync(identifiers.getReaders),
    setReaders: await getAsync(identifiers.setReaders),
    listRecycled: await getAsync(identifiers.listRecycled),
    purgeRecycled: await getAsync(identifiers.purgeRecycled),
    getLock: await getAsync(identifiers.getLock),
    lockObject: await getAsync(identifiers.lockObject),
    unlockObject: await getAsync(identifiers.unlockObject),
    readStructure: await getAsync(identifiers.readStructure),
    putClass: await getAsync(identifiers.putClass),
    removeClass: await getAsync(identifiers.removeClass),
    executeMacro: await getAsync(identifiers.executeMacro),
    startProviderLogIn: await getAsync(identifiers.startProviderLogIn),
    finishProviderLogIn: await getAsync(identifiers.finishProviderLogIn),
    tradeReturnCode: await getAsync(identifiers.tradeReturnCode),
    logInLinking: await getAsync(identifiers.logInLinking),
    listOwnLinks: await getAsync(identifiers.listOwnLinks),
    removeOwnLinks: await getAsync(identifiers.removeOwnLinks),
    objectHooks: await getAsync(objectHooks),
  }));
}
