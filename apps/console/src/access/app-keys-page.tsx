import { Badge, Button, Group } from "@mantine/core";
import type { AdministeredAppKeyData } from "@sallyport/client/admin";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { showFailure, showSuccess } from "../notices/notices.tsx";
import { NewAppKey } from "./new-app-key.tsx";

export function AppKeysPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const queries = useQueryClient();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const setEnabled = async ({ appKeyId, name }: AdministeredAppKeyData, enabled: boolean) => {
    // Reads the current state first: lists have no versions.
    await connection.administer(async (admin) =>
      admin.appKeys.setEnabled(appKeyId, enabled, { ifMatch: await admin.appKeys.get(appKeyId) }),
    );
    await queries.invalidateQueries({ queryKey: ["app-keys"] });
    showSuccess(enabled ? texts.appKeys.isEnabled(name) : texts.appKeys.isDisabled(name));
  };
  const disabling = (appKey: AdministeredAppKeyData): ConfirmedAct => ({
    title: texts.appKeys.disable(appKey.name),
    consequences: texts.appKeys.disableHelp,
    confirm: texts.appKeys.disableConfirm,
    typed: appKey.name,
    act: () => setEnabled(appKey, false),
  });
  const columns = [
    { title: texts.common.name, cell: ({ name }: AdministeredAppKeyData) => name },
    {
      title: texts.appKeys.scope,
      cell: ({ scope }: AdministeredAppKeyData) => (
        <Badge variant="light" tt="none" color={scope === "admin" ? "indigo" : "gray"}>
          {texts.appKeys.scopes[scope]}
        </Badge>
      ),
    },
    {
      title: texts.appKeys.appNames,
      cell: ({ appNames }: AdministeredAppKeyData) => appNames?.join(", ") ?? texts.appKeys.allNames,
    },
    { title: texts.appKeys.origins, cell: ({ origins }: AdministeredAppKeyData) => origins.join(", ") },
    {
      title: texts.common.status,
      cell: ({ enabled }: AdministeredAppKeyData) => (
        <Badge variant="light" tt="none" color={enabled ? "green" : "gray"}>
          {enabled ? texts.users.enabled : texts.users.disabled}
        </Badge>
      ),
    },
  ];
  return (
    <>
      <ListPage
        title={texts.appKeys.title}
        help={texts.appKeys.help}
        queryKey={["app-keys"]}
        load={({ after, limit, signal }) =>
          connection.administer((admin) => admin.appKeys.list({ after, limit, signal }))
        }
        keyOf={({ appKeyId }) => appKeyId}
        columns={columns}
        empty={texts.appKeys.empty}
        actions={mayChange && <NewAppKey />}
        rowActions={
          mayChange
            ? (appKey) => (
                <Group gap="xs" justify="flex-end">
                  {appKey.enabled ? (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={texts.appKeys.disable(appKey.name)}
                      onClick={() => setConfirmed(disabling(appKey))}
                    >
                      {texts.appKeys.disableConfirm}
                    </Button>
                  ) : (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={texts.appKeys.enable(appKey.name)}
                      onClick={() =>
                        void setEnabled(appKey, true).catch((error) => showFailure(texts.notices.saveFailed, error))
                      }
                    >
                      {texts.users.enable}
                    </Button>
                  )}
                </Group>
              )
            : undefined
        }
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}
