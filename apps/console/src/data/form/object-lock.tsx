import { Alert, Button, Group } from "@mantine/core";
import { useIdle } from "@mantine/hooks";
import type { Lock } from "@sallyport/client";
import { IconLock } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../../connection/connection-context.tsx";
import { useLanguage } from "../../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../../page-parts/confirm-dialog.tsx";
import { showFailure } from "../../notices/notices.tsx";
import { isoTime, type ObjectRow } from "../cell-text.ts";

/** Milliseconds between two looks at a lock, and at an object without one. */
const intervals = { locked: 2_000, unlocked: 10_000 } as const;
/** Milliseconds without input after which the page looks no more, so that it does not keep the session alive. */
const idleTime = 120_000;

interface ObjectLockProps {
  readonly objectId: string;
  readonly title: string;
}

/** The lock of an object: who holds it since when, and its acts. Tells at once when another session has taken the own lock over. */
export function ObjectLock({ objectId, title }: ObjectLockProps) {
  const { texts } = useLanguage();
  const connection = useConnection();
  const queries = useQueryClient();
  const { mayChange } = usePerson();
  const isIdle = useIdle(idleTime, { initialState: false });
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const [wasOwn, setWasOwn] = useState(false);
  const queryKey = ["objects", "lock", objectId];
  const { data: lock } = useQuery({
    queryKey,
    queryFn: ({ signal }) => connection.work((client) => client.getLock(objectId, { signal })),
    refetchInterval: ({ state }) => !isIdle && intervals[state.data?.isLocked === true ? "locked" : "unlocked"],
    refetchOnWindowFocus: true,
  });
  const keep = (next: Lock) => {
    setWasOwn(next.isOwn === true);
    queries.setQueryData(queryKey, next);
  };
  const acquire = useMutation({
    mutationFn: () => connection.work((client) => client.lockObject(objectId)),
    onSuccess: keep,
    onError: (error) => showFailure(texts.objects.lockFailed, error),
  });
  const release = useMutation({
    mutationFn: () => connection.work((client) => client.unlockObject(objectId)),
    onSuccess: keep,
    onError: (error) => showFailure(texts.objects.lockFailed, error),
  });
  if (lock === undefined) return null;
  if (!lock.isLocked)
    return (
      <Group>
        {wasOwn && <LostLock lock={lock} onClose={() => setWasOwn(false)} />}
        <Button
          variant="default"
          leftSection={<IconLock size={16} />}
          loading={acquire.isPending}
          onClick={() => acquire.mutate()}
        >
          {texts.objects.lock}
        </Button>
      </Group>
    );
  if (lock.isOwn === true)
    return (
      <Alert color="indigo" icon={<IconLock />} title={<LockText lock={lock} />} role="status">
        <Button variant="default" size="xs" loading={release.isPending} onClick={() => release.mutate()}>
          {texts.objects.unlock}
        </Button>
      </Alert>
    );
  const takingOver: ConfirmedAct = {
    title: texts.objects.takeOverLock(title),
    consequences: texts.objects.takeOverLockHelp,
    confirm: texts.objects.takeOverLockConfirm,
    act: async () => keep(await connection.work((client) => client.lockObject(objectId, { takeOver: true }))),
  };
  return (
    <>
      {wasOwn ? (
        <LostLock lock={lock} onClose={() => setWasOwn(false)} />
      ) : (
        <Alert color="yellow" icon={<IconLock />} title={<LockText lock={lock} />} role="status">
          {mayChange && (
            <Button variant="default" size="xs" onClick={() => setConfirmed(takingOver)}>
              {texts.objects.takeOverLockConfirm}
            </Button>
          )}
        </Alert>
      )}
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}

/** Says that the own lock is gone. It stays until it is closed. */
function LostLock({ lock, onClose }: { readonly lock: Lock; onClose(): void }) {
  const { texts } = useLanguage();
  return (
    <Alert
      color="red"
      icon={<IconLock />}
      role="alert"
      title={texts.objects.lockLost}
      withCloseButton
      closeButtonLabel={texts.common.close}
      onClose={onClose}
    >
      {lock.isLocked && <LockText lock={lock} />}
    </Alert>
  );
}

/** Who holds a lock, and since when. */
function LockText({ lock: { isOwn, since = "", userId } }: { readonly lock: Lock }) {
  const { texts, language } = useLanguage();
  const connection = useConnection();
  const { data: user } = useQuery({
    queryKey: ["objects", "User", "title", userId],
    queryFn: ({ signal }) =>
      connection.work((client) =>
        client.getObject<ObjectRow & { readonly Name?: string }>(userId ?? "", {
          signal,
          serialization: { type: "custom", fields: ["Name"] },
        }),
      ),
    enabled: userId !== undefined && isOwn !== true,
  });
  const at = new Date(isoTime(since));
  const time = new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" }).format(at);
  const minutes = Math.max(0, Math.round((Date.now() - at.getTime()) / 60_000));
  const age = texts.objects.lockAge(time, minutes);
  return <>{isOwn === true ? texts.objects.lockedByMe(age) : texts.objects.lockedBy(user?.Name ?? userId, age)}</>;
}
