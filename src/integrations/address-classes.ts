/**
 * Recognition of IP addresses on the public Internet: an address that a clinic sets must not lead into the network in
 * which the server runs. https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry
 */
import { BlockList, isIPv6 } from 'node:net'

/** Not globally reachable, multicast, or reserved. */
const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Exceptions within global unicast: protocol assignments with Teredo, documentation, and 6to4, which embeds an IPv4
 * address.
 */
const IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const closed = new BlockList()
for (const [net, prefix] of IPV4) closed.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of IPV6) closed.addSubnet(net, prefix, 'ipv6')

/** All other IPv6 addresses are loopback, link-local, unique local, mapped, translated (NAT64) or unassigned. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** @param address an IP address, without brackets */
export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  if (isIPv6(plain)) return globalUnicast.check(plain, 'ipv6') && !closed.check(plain, 'ipv6')
  return !closed.check(plain, 'ipv4')
}
