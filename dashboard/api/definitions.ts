/** The StructureDefinitions of types, as the server has them. */
import { queryOptions } from '@tanstack/react-query'
import type { StructureDefinition } from 'fhir/r4'
import { get } from './client.ts'

const CORE = 'http://hl7.org/fhir/StructureDefinition/'

/** @param type a resource type or data type. docs/operations/structure-definition-snapshot.md */
export const definitionOf = (type: string) =>
  queryOptions({
    queryKey: ['definition', type],
    queryFn: ({ signal }) =>
      get<StructureDefinition>(`StructureDefinition/$snapshot?url=${encodeURIComponent(CORE + type)}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
