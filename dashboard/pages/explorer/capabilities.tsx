/** The CapabilityStatement for reading: a type at a time, each interaction as a request to try or to copy. */
import { Badge, Box, Group, NavLink, ScrollArea, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import { CopyAsCurl } from '../../parts/copy.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Icon } from '../../parts/icon.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { Empty } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import classes from './explorer.module.css'
import { type DeclaredType, type Offer, offersOf, operationOffers, typesWith } from './offers.ts'

export function Capabilities({ statement }: { readonly statement: CapabilityStatement }) {
  const [{ q, type }, setFilters] = useFilters({ view: 'connect', q: '', type: 'Patient' })
  const types = typesWith(statement, q)
  const shown = types.find((one) => one.type === type) ?? types[0]
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {statement.software?.name} {statement.software?.version} · FHIR {statement.fhirVersion} ·{' '}
        {statement.format.join(', ')}
      </Text>
      <div className={classes.columns}>
        <Stack gap="xs">
          <TextInput
            aria-label="Type, search parameter or operation"
            placeholder="Type, search parameter or operation"
            leftSection={<Icon name="search" size={16} />}
            value={q}
            onChange={(event) => setFilters({ q: event.currentTarget.value }, { replace: true })}
          />
          <ScrollArea.Autosize
            mah={{ base: 160, md: 'calc(100dvh - 230px)' }}
            type="auto"
            viewportProps={{ tabIndex: 0 }}
          >
            <Box component="nav" aria-label="Types">
              {types.map((one) => (
                <NavLink
                  key={one.type}
                  component="button"
                  label={one.type}
                  active={one === shown}
                  ref={one === shown ? show : undefined}
                  py={4}
                  onClick={() => setFilters({ type: one.type })}
                />
              ))}
            </Box>
          </ScrollArea.Autosize>
        </Stack>
        {shown === undefined ? (
          <Empty icon="search" title="Nothing found">
            Types, search parameters and operations are searched.
          </Empty>
        ) : (
          <TypeView resource={shown} />
        )}
      </div>
    </>
  )
}

/** The list is long. */
const show = (button: HTMLElement | null): void => button?.scrollIntoView({ block: 'nearest' })

function TypeView({ resource }: { readonly resource: DeclaredType }) {
  const { type, searchParam = [], profile } = resource
  const operations = operationOffers(resource)
  return (
    <Stack miw={0}>
      <Panel
        title={type}
        aside={
          <Text size="xs" c="dimmed" className="cut" maw="100%">
            {profile}
          </Text>
        }
      >
        <Stack gap={6}>
          {offersOf(resource).map((offer) => (
            <OfferRow key={offer.code} offer={offer} />
          ))}
        </Stack>
      </Panel>
      {operations.length > 0 && (
        <Panel title="Operations">
          <Stack gap={6}>
            {operations.map((offer) => (
              <OfferRow key={offer.code} offer={offer} />
            ))}
          </Stack>
        </Panel>
      )}
      <Panel title={`${searchParam.length} search parameters`}>
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xs" verticalSpacing={2}>
          {searchParam.map(({ name, type: kind, documentation }) => (
            <Text key={name} size="sm" title={documentation}>
              <span className="mono">{name}</span>{' '}
              <Text span inherit c="dimmed">
                {kind}
              </Text>
            </Text>
          ))}
        </SimpleGrid>
      </Panel>
    </Stack>
  )
}

/** Files that curl sends, by method. */
const BODIES: Readonly<Record<string, string>> = {
  POST: '@resource.json',
  PUT: '@resource.json',
  PATCH: '@patch.json',
}

const OfferRow = ({ offer: { method, path, label } }: { readonly offer: Offer }) => (
  <Group gap="sm" wrap="nowrap" justify="space-between">
    <Group gap="sm" miw={0} flex={1}>
      <Badge variant="default" w={70} flex="none">
        {method}
      </Badge>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Text size="sm" c="dimmed" className="mono cut">
        {path}
      </Text>
    </Group>
    <Group gap="xs" flex="none" wrap="nowrap">
      <Box visibleFrom="sm">
        <CopyAsCurl request={{ method, path, ...(BODIES[method] === undefined ? {} : { body: BODIES[method] }) }} />
      </Box>
      <LinkButton size="xs" variant="default" to="/explorer" search={{ method, path }}>
        Try
      </LinkButton>
    </Group>
  </Group>
)
