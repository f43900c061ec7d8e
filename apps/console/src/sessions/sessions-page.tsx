import { Button, Select, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { UserPicker } from "../accounts/user-picker.tsx";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { type SessionConditions, SessionList } from "./session-list.tsx";

/** App names that the choice offers. */
const offeredApps = 200;

export function SessionsPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { user, device, app } = useSearch({ strict: false }) as SessionConditions;
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const [typedDevice, setTypedDevice] = useState(device ?? "");
  // A link in the list chooses a device, too.
  useEffect(() => setTypedDevice((typed) => (typed.trim() === (device ?? "") ? typed : (device ?? ""))), [device]);
  const { data: chosen } = useQuery({
    queryKey: ["users", user],
    queryFn: ({ signal }) => connection.administer((admin) => admin.users.get(user ?? "", { signal })),
    enabled: user !== undefined,
  });
  const { data: apps } = useQuery({
    queryKey: ["apps", "names"],
    queryFn: ({ signal }) => connection.administer((admin) => admin.apps.list({ limit: offeredApps, signal })),
  });
  const choose = (changed: SessionConditions) =>
    void navigate({ to: ".", search: { user, device, app, ...changed } as never });
  const seekDevice = useDebouncedCallback((text: string) => choose({ device: text.trim() || undefined }), 250);
  /** What a button ends: all sessions of the chosen user, of the device, or of the user on the device. */
  const subject = [chosen?.name, device].filter((each) => each !== undefined).join(" · ");
  const ending: ConfirmedAct = {
    title: texts.sessions.endAll(subject),
    consequences: device === undefined ? texts.sessions.endAllHelp : texts.sessions.endDeviceHelp,
    confirm: texts.sessions.endAllConfirm,
    act: async () => {
      const ended = await connection.administer((admin) =>
        device === undefined
          ? admin.sessions.endOfUser(user ?? "")
          : admin.sessions.endOfDevice(device, user === undefined ? {} : { user }),
      );
      await queries.invalidateQueries({ queryKey: ["sessions"] });
      showSuccess(texts.sessions.ended(ended));
    },
  };
  return (
    <Stack>
      <div>
        <Title order={1} size="h2">
          {texts.sessions.title}
        </Title>
        <Text c="dimmed" size="sm" maw={640}>
          {texts.sessions.help}
        </Text>
      </div>
      <SessionList
        {...{ user, device, app }}
        conditions={
          <>
            <UserPicker
              label={texts.sessions.ofUser}
              value={user ?? null}
              onChange={(userId) => choose({ user: userId ?? undefined })}
            />
            <TextInput
              aria-label={texts.sessions.ofDevice}
              placeholder={texts.sessions.ofDevice}
              value={typedDevice}
              onChange={({ currentTarget }) => {
                setTypedDevice(currentTarget.value);
                seekDevice(currentTarget.value);
              }}
            />
            <Select
              aria-label={texts.sessions.ofApp}
              placeholder={texts.sessions.ofApp}
              data={(apps?.items ?? []).map(({ name }) => name)}
              value={app ?? null}
              onChange={(name) => choose({ app: name ?? undefined })}
              searchable
              clearable
              clearButtonProps={{ "aria-label": texts.sessions.allApps }}
            />
            {mayChange && subject !== "" && app === undefined && (user === undefined || chosen !== undefined) && (
              <Button color="red" variant="light" onClick={() => setConfirmed(ending)}>
                {texts.sessions.endAllConfirm}
              </Button>
            )}
          </>
        }
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </Stack>
  );
}
