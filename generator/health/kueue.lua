-- NoReplicasReady and UnavailableReplicas come and go while it starts; without cert-manager it never starts.
hs = {status = "Progressing", message = "waiting for the operator"}
for _, condition in ipairs((obj.status or {}).conditions or {}) do
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
return hs
