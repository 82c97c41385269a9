/** The columns of a list of resources of a type. */
import { useQuery } from '@tanstack/react-query'
import type { CapabilityStatement } from 'fhir/r4'
import { useMemo } from 'react'
import { definitionOf } from '../../api/definitions.ts'
import { type Column, columnsOf } from '../../fhir/columns.ts'
import { parametersOf } from './offers.ts'

/** @returns undefined until the StructureDefinition of the type is read. @param enabled whether it is */
export function useColumns(
  statement: CapabilityStatement,
  type: string,
  enabled = true,
): readonly Column[] | undefined {
  const { data: definition, isLoading } = useQuery({ ...definitionOf(type), enabled })
  return useMemo(() => {
    if (isLoading) return undefined
    return definition === undefined ? [] : columnsOf(definition, parametersOf(statement, type))
  }, [definition, isLoading, statement, type])
}
