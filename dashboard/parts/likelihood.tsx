/** How likely it is that two records are of one person. */
import { Badge, Group, Text } from '@mantine/core'
import type { Likelihood } from '../fhir/pairs.ts'

export const LikelihoodBadge = ({ grade, score }: Likelihood) => (
  <Group gap="xs">
    <Badge variant="default">{grade}</Badge>
    <Text size="sm" c="dimmed" className="number">
      {Math.round(score * 100)} %
    </Text>
  </Group>
)
