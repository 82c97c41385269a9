/** An operation: its parameters, as its OperationDefinition has them, and an example that runs. */
import { Anchor, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CapabilityStatement, OperationDefinition, OperationDefinitionParameter } from 'fhir/r4'
import { type ReactNode, useState } from 'react'
import { operationOf } from '../../api/definitions.ts'
import { docPages } from '../../api/docs.ts'
import { useTools } from '../../api/tools.ts'
import { operationDoc } from '../../fhir/operation-doc.ts'
import { callAddress, needsCall } from '../../fhir/operation-example.ts'
import { LinkButton, LinkToPage } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import classes from './explorer.module.css'
import { OfferRow } from './offer-row.tsx'
import { type DeclaredOperation, type Example, NO_EXAMPLE } from './offers.ts'

interface OperationViewProps {
  readonly statement: CapabilityStatement
  /** '' for the whole system. */
  readonly type: string
  /** The resource on which operations that change nothing are called. */
  readonly example: Example
  readonly operation: DeclaredOperation
}

export function OperationView({ operation, ...of }: OperationViewProps) {
  const [isOpen, setOpen] = useState(false)
  const { code, definition } = operation
  const query = useQuery({ ...operationOf(definition), enabled: isOpen })
  return (
    <details className={classes.operation} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="mono">${code}</span>
      </summary>
      {isOpen && (
        <Loaded query={{ ...query, data: query.data ?? undefined }} rows={3}>
          {(found) => <Definition {...of} code={code} definition={found} />}
        </Loaded>
      )}
    </details>
  )
}

interface DefinitionProps extends Omit<OperationViewProps, 'operation'> {
  readonly code: string
  readonly definition: OperationDefinition
}

function Definition({ statement, type, example, code, definition }: DefinitionProps) {
  const { data: tools } = useTools()
  const tool = tools?.families
    .flatMap((family) => family.tools)
    .find(({ operation }) => operation.endsWith(`/${definition.id}`))
  const path = callAddress(definition, type, example.id)
  const changes = definition.affectsState !== false
  const page = pageOf(definition)
  const { data: pages = [] } = useQuery(docPages)
  const doc = operationDoc(pages, definition)
  const isOfCalls = tool !== undefined && needsCall(definition)
  return (
    <Stack gap="xs" py="xs">
      <Text size="sm">{definition.description}</Text>
      {isOfCalls ? (
        <Text size="sm">
          A tool of live calls, <span className="mono">POST {tool.path}</span>:{' '}
          <LinkToPage to="/calls" search={{ tool: tool.name }}>
            call it on the telephone
          </LinkToPage>
        </Text>
      ) : (
        <OfferRow statement={statement} offer={{ code, method: 'POST', path, label: `$${code}` }} />
      )}
      {changes && !isOfCalls && path.includes(`/${NO_EXAMPLE.id}/`) && (
        <Text size="sm" c="dimmed">
          It is called on <span className="mono">{`${type}/${NO_EXAMPLE.id}`}</span>, which <i>Update</i> stores.
        </Text>
      )}
      <Group gap="xs">
        {!changes && !isOfCalls && (
          <LinkButton size="xs" variant="default" to="/explorer" search={{ method: 'POST', path, fill: 'run' }}>
            Run the example
          </LinkButton>
        )}
        {doc !== undefined && (
          <Text size="sm">
            <LinkToPage to="/help" search={{ doc: doc.path }}>
              Its documentation
            </LinkToPage>
          </Text>
        )}
        {page !== undefined && (
          <Anchor href={page} target="_blank" rel="noreferrer" size="sm">
            Its page in the specification
          </Anchor>
        )}
      </Group>
      <Table.ScrollContainer minWidth={480}>
        <Table verticalSpacing={4} fz="sm" aria-label={`Parameters of $${code}`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Parameter</Table.Th>
              <Table.Th>Use</Table.Th>
              <Table.Th>Times</Table.Th>
              <Table.Th>Type</Table.Th>
              <Table.Th>Meaning</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{rowsOf(definition.parameter)}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}

/** A row for each parameter, and below it one for each of its parts. */
const rowsOf = (parameters: readonly OperationDefinitionParameter[] = [], above = ''): readonly ReactNode[] =>
  parameters.flatMap(({ name = '', use, min, max, type, documentation, part }) => [
    <Table.Tr key={`${use} ${above}${name}`}>
      <Table.Td className="mono">{above + name}</Table.Td>
      <Table.Td>{use}</Table.Td>
      <Table.Td>
        {min}..{max}
      </Table.Td>
      <Table.Td>{type ?? 'parts'}</Table.Td>
      <Table.Td>{documentation}</Table.Td>
    </Table.Tr>,
    ...rowsOf(part, `${above}${name}.`),
  ])

/** The page of an operation of R4: http://hl7.org/fhir/OperationDefinition/Patient-match. */
function pageOf({ url = '' }: OperationDefinition): string | undefined {
  const [, type, code] = /^http:\/\/hl7\.org\/fhir\/OperationDefinition\/([A-Z]\w+)-([\w-]+)$/.exec(url) ?? []
  return type && code && `https://hl7.org/fhir/R4/${type.toLowerCase()}-operation-${code}.html`
}
