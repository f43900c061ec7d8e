import { Badge, Button, Group } from "@mantine/core";
import type { AdministeredAppData } from "@sallyport/client/admin";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { TextLink } from "../shell/links.tsx";
import { AppDialog, type EditedApp } from "./app-dialog.tsx";

/** App names with their seats. */
export function AppsPage() {
  const texts = useTexts();
  const connection = useConnection();
  const { mayChange } = usePerson();
  const [edited, setEdited] = useState<EditedApp | null>(null);
  const columns = [
    { title: texts.common.name, cell: ({ name }: AdministeredAppData) => name },
    {
      title: texts.apps.seats,
      cell: ({ name, taken, seats }: AdministeredAppData) => (
        <Group gap="xs" wrap="nowrap">
          <TextLink to="/sessions" search={{ app: name } as never} size="sm">
            {texts.apps.takenSeats(taken, seats)}
          </TextLink>
          {seats !== null && taken >= seats && (
            <Badge variant="light" tt="none" color="red">
              {texts.apps.full}
            </Badge>
          )}
        </Group>
      ),
    },
    { title: texts.apps.seatKind, cell: ({ seatKind }: AdministeredAppData) => texts.apps.seatKinds[seatKind] },
    {
      title: texts.apps.secondFactor,
      cell: ({ secondFactor }: AdministeredAppData) => texts.apps.secondFactors[secondFactor],
    },
  ];
  return (
    <>
      <ListPage
        title={texts.apps.title}
        help={texts.apps.help}
        queryKey={["apps"]}
        load={({ after, limit, signal }) => connection.administer((admin) => admin.apps.list({ after, limit, signal }))}
        keyOf={({ name }) => name}
        columns={columns}
        empty={texts.apps.empty}
        actions={
          mayChange && (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited({ name: null })}>
              {texts.apps.create}
            </Button>
          )
        }
        rowActions={
          mayChange
            ? ({ name }) => (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={texts.apps.changeOf(name)}
                  onClick={() => setEdited({ name })}
                >
                  {texts.apps.change}
                </Button>
              )
            : undefined
        }
      />
      <AppDialog edited={edited} onClose={() => setEdited(null)} />
    </>
  );
}
