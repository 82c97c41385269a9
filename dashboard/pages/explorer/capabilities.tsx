/** The CapabilityStatement for reading: the system or a type at a time, each interaction as a request that runs. */
import { Box, NavLink, Stack, Text, TextInput } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import { useFilters } from '../../parts/filters.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty } from '../../parts/page-states.tsx'
import { SystemView, TypeView } from './capability-views.tsx'
import classes from './explorer.module.css'
import { typesWith } from './offers.ts'

/** Stands for the whole system where a type is chosen. */
const SYSTEM = 'system'

export function Capabilities({ statement }: { readonly statement: CapabilityStatement }) {
  const [{ q, type }, setFilters] = useFilters({ view: 'connect', q: '', type: 'Patient' })
  const types = typesWith(statement, q)
  const isSystem = type === SYSTEM
  const shown = isSystem ? undefined : (types.find((one) => one.type === type) ?? types[0])
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {statement.software?.name} {statement.software?.version} · FHIR {statement.fhirVersion} ·{' '}
        {(statement.format ?? []).join(', ')}
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
          <Box
            component="nav"
            aria-label="Types"
            tabIndex={0}
            mah={{ base: 160, md: 'calc(100dvh - 230px)' }}
            style={{ overflowY: 'auto' }}
          >
            <NavLink
              component="button"
              label="The whole system"
              active={isSystem}
              py={4}
              onClick={() => setFilters({ type: SYSTEM })}
            />
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
        </Stack>
        {isSystem ? (
          <SystemView statement={statement} />
        ) : shown === undefined ? (
          <Empty icon="search" title="Nothing found">
            Types, search parameters and operations are searched.
          </Empty>
        ) : (
          <TypeView key={shown.type} statement={statement} resource={shown} />
        )}
      </div>
    </>
  )
}

/** Scrolls the list, which is long, and not the page. */
function show(button: HTMLElement | null): void {
  const list = button?.closest('nav')
  if (!button || !list) return
  const { top, bottom } = list.getBoundingClientRect()
  const at = button.getBoundingClientRect()
  if (at.top < top || at.bottom > bottom) list.scrollTop += at.top - (top + bottom) / 2
}
