import { Alert, List, Stack, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useConnection } from "../connection/connection-context.tsx";
import type { ObjectRow } from "../data/cell-text.ts";
import { titleOf, titlePathOf } from "../data/object-title.ts";
import { useTexts } from "../language/language.tsx";
import { TextLink } from "../shell/links.tsx";
import type { Obstacle } from "./change-steps.ts";
import { useModelEditing } from "./model-editing.ts";

/** The server counts further only where it costs nothing. */
const countLimit = 5_000;
/** Objects that are named, of those in the way. */
const namedObjects = 5;

/** Objects that the server would refuse the change for, with links to them in new tabs: the changes stay in this one. */
export function ObjectsInTheWay({ obstacles }: { readonly obstacles: readonly Obstacle[] }) {
  const texts = useTexts();
  const connection = useConnection();
  const { structure } = useModelEditing();
  const { classes } = structure;
  const titleOfClass = (className: string) =>
    titlePathOf(
      classes.find(({ name }) => name === className),
      classes,
    );
  const results = useQueries({
    queries: obstacles.map(({ className, where }) => ({
      queryKey: ["objects", className, "inTheWay", where ?? null],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
        const title = titleOfClass(className);
        return connection.work((client) =>
          client.listObjects<ObjectRow>(className, {
            query: where === undefined ? {} : { where },
            perPage: namedObjects,
            count: "capped",
            serialization: { type: "custom", fields: title === null ? [] : [title] },
            signal,
          }),
        );
      },
      staleTime: 0,
    })),
  });
  const blocking = obstacles.flatMap((obstacle, index) => {
    const page = results[index]?.data;
    return page === undefined || page["~Count"] === 0 ? [] : [{ ...obstacle, page }];
  });
  if (blocking.length === 0) return null;
  return (
    <Alert color="yellow" title={texts.model.inTheWay}>
      <Stack gap="sm">
        {blocking.map(({ className, kind, attribute, where, page }) => (
          <div key={`${className} ${attribute}`}>
            <Text size="sm">
              {texts.objects.count(page["~Count"], page["~CountCapped"] === true && page["~Count"] >= countLimit)}
              {" · "}
              {texts.model.obstacles[kind](attribute)}
              {" · "}
              <TextLink
                to="/classes/$className"
                params={{ className }}
                search={(where === undefined ? {} : { filter: JSON.stringify(where) }) as never}
                target="_blank"
                underline="always"
                c="inherit"
              >
                {texts.model.allInTheWay(className)}
              </TextLink>
            </Text>
            <List size="sm" spacing={6} mt={6}>
              {page["~Elements"].map((row) => (
                <List.Item key={row["~ObjectID"]}>
                  <TextLink
                    to="/classes/$className/$objectId"
                    params={{ className: row["~ClassName"], objectId: row["~ObjectID"] }}
                    target="_blank"
                    underline="always"
                    c="inherit"
                  >
                    {titleOf(row, titleOfClass(className))}
                  </TextLink>
                </List.Item>
              ))}
            </List>
          </div>
        ))}
      </Stack>
    </Alert>
  );
}
