/** The names that the server has, for the completion of plans. */
import { useQuery } from '@tanstack/react-query'
import type { CapabilityStatement } from 'fhir/r4'
import { useMemo } from 'react'
import { catalogue } from '../../api/faults.ts'
import { magic } from '../../api/magic.ts'
import { useGet } from '../../api/queries.ts'
import { scenarios } from '../../api/rehearsal.ts'
import { useTools } from '../../api/tools.ts'
import type { Suggestion } from '../../parts/json-editor/suggestion.ts'
import type { Known } from './suggestions.ts'

/** Names that have been read so far. */
export function useKnown(): Known {
  const { data: faults } = useQuery(catalogue)
  const { data: filled } = useQuery(scenarios)
  const { data: people } = useQuery(magic)
  const { data: tools } = useTools()
  const { data: statement } = useGet<CapabilityStatement>('metadata')
  return useMemo(
    () => ({
      faults: faults ?? [],
      scenarios: (filled ?? []).map(({ name, title }) => ({ text: name, hint: title })),
      tools: (tools?.families ?? []).flatMap(({ tools: list }) => list.map(({ name }) => ({ text: name }))),
      people: [...(people?.patients ?? []), ...(people?.practitioners ?? [])].flatMap(
        ({ resource, what }): readonly Suggestion[] => (resource === undefined ? [] : [{ text: resource, hint: what }]),
      ),
      ...offeredBy(statement),
    }),
    [faults, filled, people, tools, statement],
  )
}

function offeredBy(statement: CapabilityStatement | undefined): Pick<Known, 'types' | 'operations'> {
  const [rest] = statement?.rest ?? []
  const resources = rest?.resource ?? []
  const operations = [rest, ...resources].flatMap((one) => (one?.operation ?? []).map(({ name = '' }) => name))
  return {
    types: resources.flatMap(({ type }) => type ?? []),
    operations: [...new Set(operations.map((name) => `$${name.replace(/^\$/, '')}`))].sort(),
  }
}
