/** The StructureDefinitions of types, and the codes of value sets, as the server has them. */
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { Bundle, OperationDefinition, StructureDefinition, ValueSet } from 'fhir/r4'
import { useMemo } from 'react'
import { matchesIn } from '../fhir/bundles.ts'
import type { CodeChoice, Codes, Define } from '../fhir/definitions.ts'
import type { Find } from '../fhir/template.ts'
import { get } from './client.ts'
import { clinicNow } from './clock.ts'
import { Problem } from './problem.ts'

const CORE = 'http://hl7.org/fhir/StructureDefinition/'

/** @param type a resource type or data type. docs/operations/structure-definition-snapshot.md */
export const definitionOf = (type: string) =>
  queryOptions({
    queryKey: ['definition', type],
    queryFn: ({ signal }) =>
      get<StructureDefinition>(`StructureDefinition/$snapshot?url=${encodeURIComponent(CORE + type)}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Codes of a value set that are offered at once. */
export const MOST_CODES = 200

/**
 * Codes of a value set whose code or display has words that begin with the text; none where its codes cannot be listed.
 * docs/operations/value-set-expand.md
 */
export const codesOf = (valueSet: string, filter = '') =>
  queryOptions({
    queryKey: ['codes', valueSet, filter],
    queryFn: async ({ signal }): Promise<readonly CodeChoice[]> => {
      const query = new URLSearchParams({ url: valueSet, count: String(MOST_CODES), excludeNested: 'true' })
      if (filter !== '') query.set('filter', filter)
      const found = await get<ValueSet>(`ValueSet/$expand?${query}`, signal).catch(noneIfRefused)
      return (found?.expansion?.contains ?? []).flatMap(({ system, code, display, abstract }) =>
        code === undefined || abstract === true ? [] : [{ system, code, display }],
      )
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** @param url canonical, as the CapabilityStatement names it */
export const operationOf = (url: string) =>
  queryOptions({
    queryKey: ['operation', url],
    queryFn: async ({ signal }) => {
      const found = await get<Bundle>(`OperationDefinition?url=${encodeURIComponent(url)}`, signal)
      return matchesIn<OperationDefinition>(found)[0] ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

export interface Definitions {
  readonly find: Find
  readonly now: () => number
  readonly define: Define
  readonly codes: Codes
  readonly operation: (url: string) => Promise<OperationDefinition | undefined>
}

/** Reads them where one leads to another; each is read once. */
export function useDefinitions(): Definitions {
  const client = useQueryClient()
  return useMemo(
    () => ({
      now: clinicNow,
      find: async (address) => matchesIn(await get<Bundle>(address)),
      define: (type) => client.fetchQuery(definitionOf(type)).catch(noneIfRefused),
      codes: (valueSet, filter) => client.fetchQuery(codesOf(valueSet, filter)),
      operation: async (url) => (await client.fetchQuery(operationOf(url))) ?? undefined,
    }),
    [client],
  )
}

/** A refusal means that the server does not have it; that it is away is another matter. */
function noneIfRefused(error: unknown): undefined {
  if (error instanceof Problem && !error.isPassing && error.status !== 401) return undefined
  throw error
}
