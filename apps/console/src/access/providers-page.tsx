import { Alert, Badge, Button, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { AdministeredProviderData, ProviderTypeData } from "@sallyport/client/admin";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { Copyable } from "../notices/copyable.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";
import { ProviderDialog } from "./provider-dialog.tsx";

const queryKey = ["providers"];

export function ProvidersPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      connection.administer(async (admin) => ({
        types: await admin.providers.types({ signal }),
        entries: await admin.providers.list({ signal }),
      })),
  });
  return (
    <Stack>
      <div>
        <Title order={1} size="h2">
          {texts.providers.title}
        </Title>
        <Text c="dimmed" size="sm" maw={640}>
          {texts.providers.help}
        </Text>
      </div>
      {error !== null && <FailureDetails error={error} />}
      {data === undefined && error === null && <Skeleton height={320} aria-label={texts.common.loading} />}
      {data?.types.map((type) => (
        <Provider key={type.type} type={type} entry={data.entries.find((each) => each.type === type.type) ?? null} />
      ))}
    </Stack>
  );
}

interface ProviderProps {
  readonly type: ProviderTypeData;
  /** `null`: it is not registered. */
  readonly entry: AdministeredProviderData | null;
}

function Provider({ type: { type, enabled, callback: usual }, entry }: ProviderProps) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { mayChange } = usePerson();
  const [isEdited, setEdited] = useState(false);
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const check = useMutation({ mutationFn: () => connection.administer((admin) => admin.providers.check(type)) });
  const callback = entry?.callback ?? usual;
  const removing: ConfirmedAct = {
    title: texts.providers.remove(type),
    consequences: texts.providers.removeHelp,
    confirm: texts.providers.removeConfirm,
    typed: type,
    act: async () => {
      // Lists have no versions.
      await connection.administer(async (admin) =>
        admin.providers.remove(type, { ifMatch: await admin.providers.get(type) }),
      );
      await queries.invalidateQueries({ queryKey });
    },
  };
  return (
    <Paper withBorder p="lg" bg="var(--console-surface)" component="section" aria-label={type}>
      <Stack>
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              {type}
            </Title>
            <Badge variant="light" tt="none" color={entry === null ? "gray" : "green"}>
              {entry === null ? texts.providers.notRegistered : texts.providers.registered}
            </Badge>
            {!enabled && (
              <Badge variant="light" tt="none" color="yellow">
                {texts.providers.notEnabled}
              </Badge>
            )}
          </Group>
          <Group gap="xs">
            {entry !== null && (
              <>
                <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
                  {texts.providers.check}
                </Button>
                {mayChange && (
                  <Button variant="default" size="xs" onClick={() => setConfirmed(removing)}>
                    {texts.providers.removeConfirm}
                  </Button>
                )}
              </>
            )}
            {mayChange && (
              <Button size="xs" onClick={() => setEdited(true)}>
                {entry === null ? texts.providers.register : texts.providers.change}
              </Button>
            )}
          </Group>
        </Group>
        {!enabled && <Text size="sm">{texts.providers.enableHelp(type)}</Text>}
        {callback === null ? (
          <Text size="sm">{type === "apple" ? texts.providers.callbackOfData : texts.providers.callbackUnknown}</Text>
        ) : (
          <>
            <Text size="sm">{texts.providers.callbackHelp}</Text>
            <Copyable label={texts.providers.callback} text={callback} copy={texts.providers.copyCallback} />
          </>
        )}
        {entry !== null && (
          <Text size="sm" c="dimmed">
            {[entry.name, entry.appNames.join(", "), entry.defaultUser].filter(Boolean).join(" · ")}
          </Text>
        )}
        {typeof entry?.fault === "string" && (
          <Alert color="red" role="alert">
            {entry.fault}
          </Alert>
        )}
        {check.isSuccess && (
          <Alert color="green" role="status">
            {texts.providers.works}
          </Alert>
        )}
        {check.error !== null && (
          <Alert color="red" role="alert" title={texts.providers.fails}>
            <FailureDetails error={check.error} />
          </Alert>
        )}
      </Stack>
      <ProviderDialog
        type={type}
        entry={entry}
        isOpen={isEdited}
        onClose={() => setEdited(false)}
        onSaved={async () => {
          check.reset();
          await queries.invalidateQueries({ queryKey });
          showSuccess(texts.providers.saved(type));
        }}
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </Paper>
  );
}
