/**
 * Group: a list of members, or filters that find them, which must be such that they can be carried out.
 * https://hl7.org/fhir/R4/group.html, https://hl7.org/fhir/uv/bulkdata/STU3/group.html
 */
import type { Group } from 'fhir/r4'
import { filtersOf } from '../core/group-members.ts'
import { defineProvider, standard } from '../core/provider.ts'
import { groupExport } from '../operations/bulk-export.ts'

export const group = defineProvider('Group', {
  documentation:
    'The Patients of a Group are those that it lists, without `inactive` ones and those whose `period` is over or has not begun, and which meet each `member-filter` of the Bulk Data IG; without a list, all Patients who meet them. Filters are carried out whenever members are asked for.',
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      await filtersOf(ctx, resource as Group)
      return await standard.create(ctx, resource)
    },
    update: async (ctx, resource) => {
      await filtersOf(ctx, resource as unknown as Group)
      return await standard.update(ctx, resource)
    },
  },
  operations: [groupExport],
})
