-- NoReplicasReady and UnavailableReplicas come and go while it starts; without cert-manager it never starts.
hs = {status = "Progressing", message = "waiting for the operator"}
local status = type(obj.status) == "table" and obj.status or {}
local seen, generation = status.observedGeneration, obj.metadata.generation
if type(seen) == "number" and type(generation) == "number" and seen < generation then
  hs.message = "waiting for the operator to see the change"
  return hs
end
for _, condition in ipairs(type(status.conditions) == "table" and status.conditions or {}) do
  if type(condition) == "table" then
    if condition.type == "Degraded" and condition.status == "True" and condition.reason == "MissingDependency" then
      hs.status = "Degraded"
      hs.message = condition.message or condition.reason
      return hs
    end
    if condition.type == "Available" then
      if condition.status == "True" then
        hs.status = "Healthy"
        hs.message = ""
      else
        hs.message = condition.message or condition.reason or "not available"
      end
    end
  end
end
return hs
