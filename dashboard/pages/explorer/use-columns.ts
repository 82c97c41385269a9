/** The columns of a list of resources of a type. */
import { useQuery } from '@tanstack/react-query'
import type { CapabilityStatement } from 'fhir/r4'
import { useMemo } from 'react'
import { definitionOf } from '../../api/definitions.ts'
import { type Column, columnsOf } from '../../fhir/columns.ts'
import { parametersOf } from './offers.ts'

/** @returns none before the StructureDefinition of the type is there. @param enabled whether it is read */
export function useColumns(statement: CapabilityStatement, type: string, enabled = true): readonly Column[] {
  const { data: definition } = useQuery({ ...definitionOf(type), enabled })
  return useMemo(
    () => (definition === undefined ? [] : columnsOf(definition, parametersOf(statement, type))),
    [definition, statement, type],
  )
}
