import { List, Loader, Stack, Text } from "@mantine/core";
import type { ExplanationData } from "@sallyport/client/admin";
import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";

/** The server writes an explanation after the answer, so that a look right after it can be too early. */
const looks = { retry: 3, retryDelay: 700 };

/** Why the server refused a request, with its checks and what to do. */
export function Explanation({ requestId }: { readonly requestId: string }) {
  const texts = useTexts();
  const connection = useConnection();
  const { data, error } = useQuery({
    queryKey: ["refusals", requestId],
    queryFn: ({ signal }) => connection.administer((admin) => admin.refusals.explain(requestId, { signal })),
    ...looks,
  });
  if (error !== null) return <Text size="sm">{texts.refusals.none}</Text>;
  if (data === undefined) return <Loader size="xs" aria-label={texts.common.loading} />;
  const { failure, items } = data;
  return (
    <Stack gap="xs">
      {[...(failure === null ? [] : [failure]), ...items].map((each, index) => (
        <Failure key={index} failure={each} />
      ))}
    </Stack>
  );
}

type ExplainedFailure = NonNullable<ExplanationData["failure"]>;

function Failure({ failure: { steps, nextSteps } }: { readonly failure: ExplainedFailure }) {
  const texts = useTexts();
  return (
    <>
      <List size="sm" aria-label={texts.refusals.checks}>
        {steps.map(({ asked, found }) => (
          <List.Item key={asked}>
            {asked} <strong>{found}</strong>
          </List.Item>
        ))}
      </List>
      {nextSteps.length > 0 && (
        <List size="sm" aria-label={texts.refusals.nextSteps}>
          {nextSteps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
      )}
    </>
  );
}
