/** The person whom a Task is about, with the number to call. */
import { Text } from '@mantine/core'
import type { Person } from '../fhir/task-person.ts'

export const TaskPerson = ({ person: { name, number } }: { readonly person: Person }) => (
  <span className="two-lines">
    <bdi className="cut name">{name || number || 'Nobody is named'}</bdi>
    <Text span size="xs" c="dimmed" className="cut number">
      {name === '' ? '' : number}
    </Text>
  </span>
)
