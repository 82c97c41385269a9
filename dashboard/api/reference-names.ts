/** The names of resources that references lead to, read together. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { referenceParts } from '../fhir/names.ts'
import { resourceName } from '../fhir/resource-name.ts'
import { getAll } from './client.ts'

/** References of one request; others show as they are. */
const MOST = 40

const NONE: ReadonlyMap<string, string> = new Map()

/** @returns the name of each, by `Patient/p1`; undefined until the first ones are read */
export function useReferenceNames(references: readonly string[]): ReadonlyMap<string, string> | undefined {
  const wanted = [...new Set(references.map(addressIn).filter((one) => one !== undefined))].sort().slice(0, MOST)
  const { data, isLoading } = useQuery({
    queryKey: ['reference-names', ...wanted],
    queryFn: ({ signal }) => namesOf(wanted, signal),
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
  })
  return isLoading ? undefined : (data ?? NONE)
}

/** `Patient/p1` of a reference to a resource of this server. */
function addressIn(reference: string): string | undefined {
  if (/^[a-z]+:|^#/.test(reference)) return undefined
  const parts = referenceParts(reference)
  return parts && `${parts.type}/${parts.id}`
}

async function namesOf(addresses: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const found = await getAll(
    addresses.map((address) => `${address}?_summary=true`),
    signal,
  )
  return new Map(
    addresses.flatMap((address, index) => {
      const { resource } = found[index] ?? {}
      const name = resource && resourceName(resource)
      return name === undefined || resource?.resourceType === 'OperationOutcome' ? [] : [[address, name] as const]
    }),
  )
}
